import RoomJSON
import RoomModel

/// One entry of a token's `permissions`: the rooms that it is about and what it says of them.
struct PermissionRule: Equatable, Sendable {
    var pattern: RoomPattern
    /// `nil`: it says nothing of it, which neither grants nor denies.
    var publish: Bool?
    var subscribe: Bool?
    var moderate: Bool?
    var history: Int?

    /// Reads the `permissions` claim. Fields that are `null` count as left out, unknown ones are ignored; of the others, each may
    /// be there once.
    static func rules(_ value: JSONValue) throws(RequestError) -> [PermissionRule] {
        guard let entries = value.fields else { throw Self.malformed }
        var rules: [PermissionRule] = []
        var areShort = true
        for (pattern, permissions) in entries {
            // Half of a surrogate pair is in the name of no room, but what else the pattern matches cannot be told.
            var rule = PermissionRule(pattern: pattern.map(RoomPattern.init) ?? .unreadable)
            if let pattern, pattern.utf8.count > TokenLimits.pattern { areShort = false }
            guard let fields = permissions.fields else { throw Self.malformed }
            var known: Set<String> = []
            for (name, value) in fields {
                guard let name, try rule.read(name, value) else { continue }
                guard known.insert(name).inserted else { throw Self.malformed }
            }
            rules.append(rule)
        }
        guard areShort else { throw .token("the token's patterns have to be \(TokenLimits.pattern) bytes at most") }
        try Self.checkCount(of: rules)
        return rules
    }

    private static let malformed = RequestError.token(
        "the token's 'permissions' has to be an object of patterns, each with an object of 'publish', 'subscribe' "
            + "and 'moderate' (true or false) and 'history' (a whole number)"
    )

    private static func checkCount(of rules: [PermissionRule]) throws(RequestError) {
        guard rules.count <= TokenLimits.patterns else {
            throw .token("the token's 'permissions' may have \(TokenLimits.patterns) patterns at most")
        }
        guard rules.count(where: \.pattern.needsEngine) <= TokenLimits.expressions else {
            throw .token(
                "the token's 'permissions' may have \(TokenLimits.expressions) patterns at most that are more than "
                    + "plain text between '^' and '$'"
            )
        }
    }

    /// Returns whether the field means something here.
    private mutating func read(_ name: String, _ value: JSONValue) throws(RequestError) -> Bool {
        switch name {
        case "publish": self.publish = try Self.bool(value)
        case "subscribe": self.subscribe = try Self.bool(value)
        case "moderate": self.moderate = try Self.bool(value)
        case "history": self.history = try Self.history(value)
        default: return false
        }
        return true
    }

    private static func bool(_ value: JSONValue) throws(RequestError) -> Bool? {
        guard value.isNull || value.bool != nil else { throw Self.malformed }
        return value.bool
    }

    private static func history(_ value: JSONValue) throws(RequestError) -> Int? {
        if value.isNull { return nil }
        guard let number = value.number, number >= 0, number <= 1e15, number == number.rounded() else {
            throw Self.malformed
        }
        return Int(number)
    }
}
