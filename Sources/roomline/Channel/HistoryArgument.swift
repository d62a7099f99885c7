import ArgumentParser
import RoomWire

/// `N` or `off`: how many messages a room keeps.
enum HistoryArgument: ExpressibleByArgument, Equatable, Sendable {
    case off
    case newest(Int)

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let count = Int(argument), count > 0 {
            self = .newest(count)
        } else {
            return nil
        }
    }

    /// `nil` where none are kept.
    var count: Int? {
        switch self {
        case .off: nil
        case .newest(let count): count
        }
    }
}

/// `PATTERN=N`, `PATTERN=off`, or nothing at all, which says that there is no rule.
struct HistoryRuleArgument: ExpressibleByArgument, Equatable, Sendable {
    struct Rule: Equatable, Sendable {
        let pattern: String
        let history: HistoryArgument

        var tree: JSONTree {
            let history = JSONTree.optional(self.history.count) { .object([.init("count", .integer($0))]) }
            return .object([.init("pattern", .string(self.pattern)), .init("history", history)])
        }
    }

    let rule: Rule?

    init?(argument: String) {
        guard !argument.isEmpty else {
            self.rule = nil
            return
        }
        // A pattern may have an equals sign, and what it is set to has none.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex,
            let history = HistoryArgument(argument: String(argument[argument.index(after: sign)...]))
        else { return nil }
        self.rule = Rule(pattern: String(argument[..<sign]), history: history)
    }
}
