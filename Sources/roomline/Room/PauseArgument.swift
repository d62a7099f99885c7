import ArgumentParser
import RoomWire

/// A duration of whole seconds, or `off`. A number alone is of seconds, too.
struct PauseArgument: ExpressibleByArgument, Equatable, Sendable {
    let seconds: Int?

    init?(argument: String) {
        guard argument != "off" else {
            self.seconds = nil
            return
        }
        let isNumber = argument.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let duration = DurationArgument(argument: isNumber ? argument + "s" : argument),
            duration.milliseconds >= 1_000,
            duration.milliseconds.isMultiple(of: 1_000)
        else { return nil }
        self.seconds = duration.milliseconds / 1_000
    }

    var tree: JSONTree { .optional(self.seconds) { .integer($0) } }
}
