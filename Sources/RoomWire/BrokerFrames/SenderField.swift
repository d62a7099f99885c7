/// The fields of a sender or a member.
enum SenderField: Int, WireField {
    case id
    case clientData
    case kind
    case authData

    static let count = Self.authData.rawValue + 1

    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 2 where name.equals("id"): self = .id
        case 10 where name.equals("clientData"): self = .clientData
        case 4 where name.equals("kind"): self = .kind
        case 8 where name.equals("authData"): self = .authData
        default: return nil
        }
    }
}
