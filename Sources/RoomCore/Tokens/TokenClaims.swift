import RoomCrypto
import RoomJSON
import RoomModel

/// The first part of a token. Its `typ` and whatever else it says mean nothing here.
enum TokenHeader {
    /// Refuses every algorithm but HS256, and extensions that have to be understood (`crit`, RFC 7515 §4.1.11).
    static func check(_ header: [UInt8]) throws(RequestError) {
        let algorithm = try JSONValue.reading(header, nestingLimit: TokenLimits.nesting) {
            header throws(RequestError) in
            guard let fields = header?.fields else { throw Self.malformed }
            var algorithm: String?
            for (name, value) in fields {
                switch name {
                case "alg":
                    guard algorithm == nil, value.isString else { throw Self.malformed }
                    algorithm = value.string ?? ""
                case "crit": throw Self.malformed
                default: break
                }
            }
            return algorithm
        }
        guard let algorithm, algorithm.utf8.elementsEqual("HS256".utf8) else {
            throw .token("the token's 'alg' has to be HS256, signed with the channel's secret")
        }
    }

    private static let malformed = RequestError.token(
        "the header of the token has to be a JSON object with one 'alg' and without 'crit'"
    )
}

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
    /// The value of `data`, byte for byte, but with line breaks between tokens as spaces.
    private(set) var data: [UInt8]?
    private(set) var permissions: [PermissionRule]?
    /// Of the value of `permissions`, as it stands there.
    private(set) var permissionsDigest: SHA256Digest?

    init(payload: [UInt8]) throws(RequestError) {
        self = try JSONValue.reading(payload, nestingLimit: TokenLimits.nesting) { payload throws(RequestError) in
            guard let fields = payload?.fields else { throw Self.malformed }
            return try TokenClaims(fields)
        }
    }

    private init(_ fields: JSONValue.Fields) throws(RequestError) {
        var known: Set<String> = []
        for (name, value) in fields {
            guard let name, try self.read(name, value) else { continue }
            // One that is there as `null` is there: which of two counts is not for us to guess (RFC 7519 §4).
            guard known.insert(name).inserted else {
                throw .token("the token has the claim '\(name)' twice, it may be there once")
            }
        }
    }

    /// Returns whether the claim means something here.
    private mutating func read(_ name: String, _ value: JSONValue) throws(RequestError) -> Bool {
        switch name {
        case "client": self.client = try Self.text("client", value)
        case "channel": self.channel = try Self.text("channel", value)
        case "exp": self.expires = try Self.time("exp", .up, value)
        case "nbf": self.notBefore = try Self.time("nbf", .down, value)
        case "iat": self.issuedAt = try Self.time("iat", .down, value)
        case "data": self.data = try Self.data(value)
        case "permissions":
            self.permissions = try PermissionRule.rules(value)
            self.permissionsDigest = SHA256.hash(Array(value.bytes))
        default: return false
        }
        return true
    }

    private static let malformed = RequestError.token(
        "the payload of the token has to be one JSON object, nested \(TokenLimits.nesting) levels at most"
    )

    private static func text(_ claim: StaticString, _ value: JSONValue) throws(RequestError) -> String? {
        if value.isNull { return nil }
        guard let text = value.string else { throw .token("the token's '\(claim)' has to be a string") }
        return text
    }

    private static func data(_ value: JSONValue) throws(RequestError) -> [UInt8]? {
        if value.isNull { return nil }
        guard value.bytes.count <= TokenLimits.authData else {
            throw .token("the token's 'data' has to be \(TokenLimits.authData) bytes of JSON at most")
        }
        // A line break within a string would have to be escaped, so that all there are stand between tokens.
        return value.bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    }

    /// Reads Unix seconds (``TokenTime``).
    private static func time(
        _ claim: StaticString,
        _ rounding: FloatingPointRoundingRule,
        _ value: JSONValue
    ) throws(RequestError) -> Int64? {
        if value.isNull { return nil }
        guard let number = value.number else {
            throw .token("the token's '\(claim)' has to be a number: Unix time in seconds")
        }
        guard let seconds = TokenTime.seconds(number) else {
            throw .token(
                "the token's '\(claim)' is too large for Unix time in seconds or milliseconds: it may be in microseconds"
            )
        }
        return Int64(seconds.rounded(rounding))
    }
}
