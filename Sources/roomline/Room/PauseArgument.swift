import ArgumentParser
import RoomWire

/// A duration of whole seconds, or `off`.
struct PauseArgument: ExpressibleByArgument, Equatable, Sendable {
    let seconds: Int?

    init?(argument: String) {
        guard argument != "off" else {
            self.seconds = nil
            return
        }
        guard let duration = DurationArgument(argument: argument), duration.milliseconds >= 1_000,
            duration.milliseconds.isMultiple(of: 1_000)
        else { return nil }
        self.seconds = duration.milliseconds / 1_000
    }

    var tree: JSONTree { .optional(self.seconds) { .integer($0) } }
}
