public import Foundation
import RoomModel

/// One message of a room, with the stamp that the broker put on it.
public struct RoomMessage<Body: Sendable>: Sendable, Identifiable {
    private let message: IncomingMessage
    private let coding: BodyCoding<Body>
    private let client: ConnectionBoard

    /// - Parameter client: that of the client which has received it.
    init(_ message: IncomingMessage, coding: BodyCoding<Body>, client: ConnectionBoard) {
        self.message = message
        self.coding = coding
        self.client = client
    }

    /// The broker's id of the message: a version 7 UUID (RFC 9562), ordered by time within the room.
    public var id: UUID { UUID(self.message.id) }

    var uniqueID: UniqueID { self.message.id }

    /// When the broker accepted it, to the millisecond, by the broker's clock.
    public var time: Date { Date(self.message.id) }

    /// The message's place in its room: 1, 2, 3… without holes within one epoch. `nil` for an ephemeral message.
    public var seq: UInt64? { self.message.seq }

    /// Where the room's log stands after this message; `nil` for an ephemeral one. Keep it to go on there later with
    /// ``RoomClient/join(_:of:history:since:)``.
    public var position: RoomPosition? { self.message.position.map { RoomPosition($0) } }

    /// A moderator has taken the message away, and this is what is left of it: its place, its time and its sender.
    public var isRedacted: Bool { self.message.isRedacted }

    /// The message exactly as it was published; `null` where it is redacted.
    public var json: JSON { self.message.json }

    /// It came from the history: it was there before this client joined, or is part of a ``HistoryPage``. What
    /// ``RoomClient/join(_:of:history:since:)`` brings after a position counts as live.
    public var isHistory: Bool { self.message.isHistory }

    /// Who sent it.
    public var sender: MessageSender { self.message.sender }

    /// The member that sent it; `nil` where it came by REST or from an administrator.
    public var member: Member? {
        if case .member(let member) = self.sender { member } else { nil }
    }

    /// This client has published it, in its present session or in an earlier one of the same ``RoomClient``.
    public var isOwn: Bool { self.member.map { self.client.hasBeen($0.id) } ?? false }

    /// The message as the room's type, decoded anew each time.
    ///
    /// It throws rather than ends the stream, because anybody may publish anything:
    /// `guard let body = try? message.body else { continue }`.
    ///
    /// - Throws: ``RoomClientError/Code/decodingFailed``, also of a message that is redacted.
    public var body: Body {
        get throws(RoomClientError) {
            if self.isRedacted { throw RoomClientError(.decodingFailed, "the message was taken away by a moderator") }
            return try self.coding.decode(self.json)
        }
    }

    /// The text, where the message is a JSON string.
    public var text: String? { self.json.string }
}

/// How messages become the room's type.
struct BodyCoding<Body: Sendable>: Sendable {
    let decode: @Sendable (JSON) throws(RoomClientError) -> Body
}

extension BodyCoding where Body: Decodable {
    static var decodable: BodyCoding {
        BodyCoding { (json) throws(RoomClientError) in try json.decode(as: Body.self) }
    }
}

extension UUID {
    init(_ id: UniqueID) {
        let (high, low) = (id.high.bigEndian, id.low.bigEndian)
        self = withUnsafeBytes(of: (high, low)) { bytes in
            UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }
}

extension Date {
    init(_ id: UniqueID) {
        self.init(timeIntervalSince1970: Double(id.milliseconds) / 1_000)
    }
}
