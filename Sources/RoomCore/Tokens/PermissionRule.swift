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
    static func rules(_ reader: inout ClaimReader) throws(RequestError) -> [PermissionRule]? {
        let error = RequestError.token(
            "the token's 'permissions' has to be an object of patterns, each with an object of 'publish', 'subscribe' "
                + "and 'moderate' (true or false) and 'history' (a whole number)"
        )
        let rules = try TokenClaims.take(&reader, error) { reader throws(ClaimReader.Mismatch) in
            try Self.entries(&reader)
        }
        guard let rules else { throw .token("the token's patterns have to be \(TokenLimits.pattern) bytes at most") }
        guard rules.count <= TokenLimits.patterns else {
            throw .token("the token's 'permissions' may have \(TokenLimits.patterns) patterns at most")
        }
        guard rules.count(where: \.pattern.needsEngine) <= TokenLimits.expressions else {
            throw .token(
                "the token's 'permissions' may have \(TokenLimits.expressions) patterns at most that are more than "
                    + "plain text between '^' and '$'"
            )
        }
        return rules
    }

    /// `nil` where a pattern is too long.
    private static func entries(_ reader: inout ClaimReader) throws(ClaimReader.Mismatch) -> [PermissionRule]? {
        var rules: [PermissionRule] = []
        var areShort = true
        try reader.enterObject()
        while let key = try reader.nextKey() {
            // Half of a surrogate pair is in the name of no room: the pattern matches nothing.
            var rule = PermissionRule(pattern: key.text.map(RoomPattern.init) ?? .never)
            if let text = key.text, text.utf8.count > TokenLimits.pattern { areShort = false }
            try rule.read(&reader)
            rules.append(rule)
        }
        return areShort ? rules : nil
    }

    private mutating func read(_ reader: inout ClaimReader) throws(ClaimReader.Mismatch) {
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key.text {
            case "publish": try Self.read(&self.publish, &reader)
            case "subscribe": try Self.read(&self.subscribe, &reader)
            case "moderate": try Self.read(&self.moderate, &reader)
            case "history": try self.readHistory(&reader)
            default: try reader.skipValue()
            }
        }
    }

    private static func read(_ field: inout Bool?, _ reader: inout ClaimReader) throws(ClaimReader.Mismatch) {
        guard field == nil else { throw ClaimReader.Mismatch() }
        if try !reader.null() { field = try reader.bool() }
    }

    private mutating func readHistory(_ reader: inout ClaimReader) throws(ClaimReader.Mismatch) {
        guard self.history == nil else { throw ClaimReader.Mismatch() }
        if try reader.null() { return }
        let number = try reader.number()
        guard number >= 0, number <= 1e15, number == number.rounded() else { throw ClaimReader.Mismatch() }
        self.history = Int(number)
    }
}
