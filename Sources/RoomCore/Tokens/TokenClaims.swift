import RoomModel

/// The claims of a token's payload that mean something here, each of the right type and there at most once. Which have
/// to be there, and whether they hold, is for the verifier to say.
struct TokenClaims {
    private(set) var client: String?
    private(set) var channel: String?
    /// Unix seconds; the first whole second in which the token is expired.
    private(set) var expires: Int64?
    /// Unix seconds before which the token is not valid.
    private(set) var notBefore: Int64?
    /// Unix seconds at which it was made.
    private(set) var issuedAt: Int64?
    /// The value of `data`, byte for byte.
    private(set) var data: [UInt8]?
    private(set) var permissions: [PermissionRule]?

    init(payload: [UInt8]) throws(RequestError) {
        guard var reader = ClaimReader(payload) else { throw Self.malformed }
        try Self.take(&reader, Self.malformed) { reader throws(ClaimReader.Mismatch) in try reader.enterObject() }
        while let key = try Self.take(
            &reader,
            Self.malformed,
            { reader throws(ClaimReader.Mismatch) in try reader.nextKey() }
        ) {
            try self.read(key.text, &reader)
        }
        try Self.take(&reader, Self.malformed) { reader throws(ClaimReader.Mismatch) in try reader.finish() }
    }

    private mutating func read(_ key: String?, _ reader: inout ClaimReader) throws(RequestError) {
        switch key {
        case "client":
            self.client = try Self.once("client", self.client, Self.text("client", &reader))
        case "channel":
            self.channel = try Self.once("channel", self.channel, Self.text("channel", &reader))
        case "exp":
            self.expires = try Self.once("exp", self.expires, Self.time("exp", .up, &reader))
        case "nbf":
            self.notBefore = try Self.once("nbf", self.notBefore, Self.time("nbf", .down, &reader))
        case "iat":
            self.issuedAt = try Self.once("iat", self.issuedAt, Self.time("iat", .down, &reader))
        case "data":
            self.data = try Self.once("data", self.data, Self.data(&reader))
        case "permissions":
            self.permissions = try Self.once("permissions", self.permissions, PermissionRule.rules(&reader))
        default:
            try Self.take(&reader, Self.malformed) { reader throws(ClaimReader.Mismatch) in _ = try reader.skipValue() }
        }
    }

    private static let malformed = RequestError.token(
        "the payload of the token has to be one JSON object, nested \(TokenLimits.nesting) levels at most"
    )

    /// Takes a claim's value, unless there is one already.
    private static func once<Value>(
        _ claim: StaticString,
        _ first: Value?,
        _ next: Value?
    ) throws(RequestError) -> Value? {
        guard first == nil else { throw .token("the token has the claim '\(claim)' twice, it may be there once") }
        return next
    }

    private static func text(_ claim: StaticString, _ reader: inout ClaimReader) throws(RequestError) -> String? {
        try Self.take(&reader, .token("the token's '\(claim)' has to be a string")) {
            reader throws(ClaimReader.Mismatch) in
            if try reader.null() { return nil }
            guard let text = try reader.string() else { throw ClaimReader.Mismatch() }
            return text
        }
    }

    private static func data(_ reader: inout ClaimReader) throws(RequestError) -> [UInt8]? {
        let data = try Self.take(&reader, Self.malformed) { reader throws(ClaimReader.Mismatch) -> [UInt8]? in
            try reader.null() ? nil : try reader.value()
        }
        guard data?.count ?? 0 <= TokenLimits.authData else {
            throw .token("the token's 'data' has to be \(TokenLimits.authData) bytes of JSON at most")
        }
        return data
    }

    /// Reads Unix seconds. What is above 1e11 (the year 5138) is taken for milliseconds, as in some of Scaledrone's samples.
    private static func time(
        _ claim: StaticString,
        _ rounding: FloatingPointRoundingRule,
        _ reader: inout ClaimReader
    ) throws(RequestError) -> Int64? {
        try Self.take(&reader, .token("the token's '\(claim)' has to be a number: Unix time in seconds")) {
            reader throws(ClaimReader.Mismatch) in
            if try reader.null() { return nil }
            let number = try reader.number()
            guard abs(number) <= 1e15 else { throw ClaimReader.Mismatch() }
            return Int64((number > 1e11 ? number / 1000 : number).rounded(rounding))
        }
    }

    /// Reads with `read`, and throws `error` where something else stands there.
    static func take<Value>(
        _ reader: inout ClaimReader,
        _ error: @autoclosure () -> RequestError,
        _ read: (inout ClaimReader) throws(ClaimReader.Mismatch) -> Value
    ) throws(RequestError) -> Value {
        do throws(ClaimReader.Mismatch) {
            return try read(&reader)
        } catch _ {
            throw error()
        }
    }
}
