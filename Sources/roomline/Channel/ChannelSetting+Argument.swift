import ArgumentParser
import RoomJSON
import RoomModel

/// How the options of the channel commands take the value of a setting.
extension ChannelSetting {
    /// Whether it is given as often as it has elements.
    var isList: Bool {
        switch self.form {
        case .historyRules, .origins: true
        case .text, .choice, .count, .duration: false
        }
    }

    var help: ArgumentHelp {
        if self.group == .limits {
            let names = Self.settings(of: .limits).map(\.key)
            let list = names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
            return ArgumentHelp("A limit: \(list). May be repeated.", valueName: "NAME=N|none")
        }
        let text =
            switch self.form {
            case .text, .choice: "\(self.summary)."
            case .count(_, _, let none): "\(self.summary), or \(none)."
            case .duration(_, _, let example): "\(self.summary), such as \(example)."
            case .historyRules, .origins: "\(self.summary). May be repeated; \"\" for none."
            }
        return ArgumentHelp("\(text)", valueName: self.placeholder)
    }

    /// The value as the API takes it; of a limit, an object with that limit.
    ///
    /// - Throws: `ValidationError` with what can be given.
    func tree(_ text: String) throws -> JSONTree {
        switch self.form {
        case .text, .choice, .origins: .string(text)
        case .duration(_, let bounds, let example): try Self.duration(text, in: bounds, example: example)
        case .historyRules: text.isEmpty ? .string("") : try Self.rule(text)
        case .count where self.group == .limits: try Self.limit(text)
        case .count(_, _, let none): try Self.count(text, none: none)
        }
    }

    private static func duration(_ text: String, in bounds: ClosedRange<Duration>, example: String) throws -> JSONTree {
        let given = try DurationArgument.reading(text, examples: example)
        if given.duration <= bounds.upperBound { return given.tree }
        let longest = ShownTime.duration(seconds: Double(bounds.upperBound.components.seconds))
        throw ValidationError("give at most \(longest), such as \(example).")
    }

    /// Reads `N`, or the word for none.
    private static func count(_ text: String, none: String) throws -> JSONTree {
        if text == none { return .null }
        guard let count = Int(text), count > 0 else {
            throw ValidationError("give a whole number from 1, or \(none).")
        }
        return .integer(count)
    }

    /// Reads `NAME=N` or `NAME=none`.
    private static func limit(_ text: String) throws -> JSONTree {
        let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else { throw ValidationError("give a limit as NAME=N or NAME=none.") }
        return .object([.init(sides[0], try self.count(sides[1], none: "none"))])
    }

    /// Reads `PATTERN=N` or `PATTERN=off`. A pattern may have an equals sign, and what it is set to has none.
    private static func rule(_ text: String) throws -> JSONTree {
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
            throw ValidationError("give a rule as PATTERN=N or PATTERN=off.")
        }
        let count = try self.count(String(text[text.index(after: sign)...]), none: "off")
        let history = count == .null ? count : .object([.init("count", count)])
        return .object([.init("pattern", .string(String(text[..<sign]))), .init("history", history)])
    }
}
