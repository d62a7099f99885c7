/// The fields that only a `moderate` frame has, or that have bounds of their own in it. They are read by a second scan of
/// the line, so that the frequent frames do not pay for their names.
enum ModerationField: Int, NamedField {
    case action
    case reason
    case clientID
    case user
    case address
    case seconds
    case memberCount
    case targetSeq
    case targetID
    case text

    static let count = Self.text.rawValue + 1

    var name: StaticString {
        switch self {
        case .action: "action"
        case .reason: "reason"
        case .clientID: "client_id"
        case .user: "user"
        case .address: "address"
        case .seconds: "seconds"
        case .memberCount: "count"
        case .targetSeq: "target_seq"
        case .targetID: "target_id"
        case .text: "text"
        }
    }

    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 6 where name.equals("action"): self = .action
        case 6 where name.equals("reason"): self = .reason
        case 9 where name.equals("client_id"): self = .clientID
        case 4 where name.equals("user"): self = .user
        case 7 where name.equals("address"): self = .address
        case 7 where name.equals("seconds"): self = .seconds
        case 5 where name.equals("count"): self = .memberCount
        case 10 where name.equals("target_seq"): self = .targetSeq
        case 9 where name.equals("target_id"): self = .targetID
        case 4 where name.equals("text"): self = .text
        default: return nil
        }
    }
}
