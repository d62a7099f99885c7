import ArgumentParser
import RoomJSON
import RoomServer

/// A duration as the options of `roomline serve` take one: `500ms`, `10s`, `5m`, `30d`, `1w`. A number alone is none: whether
/// seconds or days are meant nobody can tell.
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
        try self.reading(text, examples: self.examples)
    }

    /// - Parameter examples: that can be given.
    static func reading(_ text: String, examples: String) throws -> DurationArgument {
        guard let duration = DurationArgument(argument: text) else {
            throw ValidationError("give a number with its unit, such as \(examples).")
        }
        return duration
    }

    /// For what is counted in seconds.
    ///
    /// - Throws: `ValidationError` that lists the forms.
    static func readingSeconds(_ text: String) throws -> DurationArgument {
        let duration = try self.reading(text)
        guard duration.wholeSeconds != nil else {
            throw ValidationError("give whole seconds, one or more, such as \(self.examples).")
        }
        return duration
    }

    private static let examples = "10s, 5m, 2h, 7d or 1w"

    /// `nil` where it has a part of a second, or is none at all.
    var wholeSeconds: Int? {
        self.milliseconds >= 1_000 && self.milliseconds.isMultiple(of: 1_000) ? self.milliseconds / 1_000 : nil
    }

    var defaultValueDescription: String { ShownTime.duration(seconds: self.seconds) }
    var seconds: Double { Double(self.milliseconds) / 1_000 }

    var duration: Duration { .milliseconds(self.milliseconds) }

    /// In seconds, as the API takes it.
    var tree: JSONTree {
        self.milliseconds.isMultiple(of: 1_000) ? .integer(self.milliseconds / 1_000) : .number("\(self.seconds)")
    }
}
