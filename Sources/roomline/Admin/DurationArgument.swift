import ArgumentParser
import RoomJSON
import RoomServer

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

    /// - Throws: `ValidationError` that lists the forms.
    static func reading(_ text: String) throws -> DurationArgument {
        guard let duration = DurationArgument(argument: text) else {
            throw ValidationError("give a number with its unit: 500ms, 10s, 5m, 2h or 7d.")
        }
        return duration
    }

    var defaultValueDescription: String { ShownTime.duration(seconds: self.seconds) }
    var seconds: Double { Double(self.milliseconds) / 1_000 }

    var duration: Duration { .milliseconds(self.milliseconds) }

    /// In seconds, as the API takes it.
    var tree: JSONTree {
        self.milliseconds.isMultiple(of: 1_000) ? .integer(self.milliseconds / 1_000) : .number("\(self.seconds)")
    }
}
