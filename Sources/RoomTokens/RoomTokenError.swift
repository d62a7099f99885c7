/// The reason why a token cannot be made. The broker would reject such a token.
public enum RoomTokenError: Error, CustomStringConvertible {
    /// The secret is empty.
    case emptySecret
    /// The token would expire in less than a second.
    case tooShort(Duration)
    /// The data about the member cannot be written as JSON.
    case encodingFailed(String, any Error)
    /// The data about the member has more than 2 KiB of JSON.
    case dataTooLarge(bytes: Int)
    /// The permissions name more than 256 selections of rooms.
    case tooManyPatterns(Int)
    /// The pattern of a selection has more than 1 KiB.
    case patternTooLong(bytes: Int)
    /// The token has more than 16 KiB.
    case tokenTooLarge(bytes: Int)

    /// The reason, in English; it contains nothing of the secret or the token.
    public var description: String {
        switch self {
        case .emptySecret: "the secret of the channel is empty"
        case .tooShort(let lifetime): "a token has to be valid for 1 second or more, not \(lifetime)"
        case .encodingFailed(let type, let error): "the value of type \(type) cannot be written as JSON: \(error)"
        case .dataTooLarge(let bytes): "the data about the member has \(bytes) bytes of JSON: 2048 are allowed"
        case .tooManyPatterns(let count): "the permissions have \(count) patterns: 256 are allowed"
        case .patternTooLong(let bytes): "a pattern of the permissions has \(bytes) bytes: 1024 are allowed"
        case .tokenTooLarge(let bytes): "the token has \(bytes) bytes: 16384 are allowed"
        }
    }
}
