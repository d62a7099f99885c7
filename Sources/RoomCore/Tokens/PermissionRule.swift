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

    /// Reads the `permissions` claim. Fields that are `null` count as left out, unknown ones are ignored.
    static func rules(_ value: JSONValue) throws(RequestError) -> [PermissionRule] {
        guard let entries = value.fields else { throw Self.malformed }
        var rules: [PermissionRule] = []
        var areShort = true
        for (pattern, permissions) in entries {
            // Half of a surrogate pair is in the name of no room: the pattern matches nothing.
            var rule = PermissionRule(pattern: pattern.map(RoomPattern.init) ?? .never)
            if let pattern, pattern.utf8.count > TokenLimits.pattern { areShort = false }
            guard let fields = permissions.fields else { throw Self.malformed }
            for (name, value) in fields { try rule.read(name, value) }
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

    private mutating func read(_ name: String?, _ value: JSONValue) throws(RequestError) {
        switch name {
        case "publish": try Self.read(&self.publish, value)
        case "subscribe": try Self.read(&self.subscribe, value)
        case "moderate": try Self.read(&self.moderate, value)
        case "history": try self.readHistory(value)
        default: break
        }
    }

    private static func read(_ field: inout Bool?, _ value: JSONValue) throws(RequestError) {
        guard field == nil, value.isNull || value.bool != nil else { throw Self.malformed }
        field = value.bool
    }

    private mutating func readHistory(_ value: JSONValue) throws(RequestError) {
        guard self.history == nil else { throw Self.malformed }
        if value.isNull { return }
        guard let number = value.number, number >= 0, number <= 1e15, number == number.rounded() else {
            throw Self.malformed
        }
        self.history = Int(number)
    }
}
