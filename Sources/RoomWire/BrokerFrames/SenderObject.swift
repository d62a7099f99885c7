package import NIOCore
import RoomJSON

/// A sender or a member in a frame: `{"id":…,"clientData":…}`, `{"id":…,"kind":…}`.
///
/// It was checked as a part of its frame, so what is missing or does not fit here is absent, and no reason to lose the
/// message that it came with.
package struct SenderObject: Equatable, Sendable {
    /// Empty where the object has none.
    package let id: String
    /// The kind of a sender that is not a member: `broker`, `rest`, `admin`, or another word of a newer broker.
    package let kind: String?
    /// JSON values of any kind: slices of the object.
    package let clientData: ByteBuffer?
    package let authData: ByteBuffer?

    package init(_ json: ByteBuffer) {
        self = json.withUnsafeReadableBytes { bytes in
            FieldScan.reading(SenderField.table) { scan in
                // The fields before a fault count, as above.
                try? scan.read(bytes, nestingLimit: .max)
                return SenderObject(json, scan, bytes)
            }
        }
    }

    private init(_ json: ByteBuffer, _ scan: FieldScan, _ bytes: UnsafeRawBufferPointer) {
        self.id = scan[SenderField.id].flatMap { JSONString.text(at: $0, in: bytes) } ?? ""
        self.kind = scan[SenderField.kind].flatMap { JSONString.text(at: $0, in: bytes) }
        self.clientData = scan[SenderField.clientData].flatMap { json.slice(at: $0) }
        self.authData = scan[SenderField.authData].flatMap { json.slice(at: $0) }
    }
}

/// The fields of a sender or a member.
enum SenderField: Int, WireWord {
    case id
    case clientData
    case kind
    case authData

    static let table = WordTable(Self.names)

    var name: StaticString {
        switch self {
        case .id: "id"
        case .clientData: "clientData"
        case .kind: "kind"
        case .authData: "authData"
        }
    }
}
