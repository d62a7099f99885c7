import ArgumentParser
import RoomServer
import RoomWire

/// A duration as the options of `roomline serve` take one: `500ms`, `10s`, `5m`, `30d`.
struct DurationArgument: ExpressibleByArgument, Equatable, Sendable {
    let milliseconds: Int

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    init?(argument: String) {
        guard let milliseconds = UnitScale.milliseconds.parse(argument) else { return nil }
        self.milliseconds = milliseconds
    }

    var defaultValueDescription: String { ShownTime.duration(seconds: self.seconds) }
    var seconds: Double { Double(self.milliseconds) / 1_000 }

    /// In seconds, as the API takes it.
    var tree: JSONTree {
        self.milliseconds.isMultiple(of: 1_000) ? .integer(self.milliseconds / 1_000) : .number("\(self.seconds)")
    }
}
