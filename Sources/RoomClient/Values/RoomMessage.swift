public import Foundation
import RoomModel
import RoomWire

/// One message of a room, with the id, the place, the time and the sender that the broker added.
public struct RoomMessage<Body: Sendable>: Sendable, Identifiable {
    let message: IncomingMessage
    let coding: BodyCoding<Body>
    let client: ConnectionBroadcaster

    /// - Parameter client: the broadcaster of the client that received the message.
    /// The id that the broker gave the message: a UUID of version 7 (RFC 9562 §5.7), ordered by time within the room.
    public var id: UUID { UUID(self.message.id) }

    var uniqueID: UniqueID { self.message.id }

    /// The time at which the broker accepted the message, by the broker's clock, in milliseconds precision.
    public var time: Date { Date(self.message.id) }

    /// The place of the message in its room: 1, 2, 3… without gaps within one epoch. `nil` for an ephemeral message.
    public var seq: UInt64? { self.message.seq }

    /// The position after this message; `nil` for an ephemeral one. Store it to continue there later with
    /// ``RoomClient/join(_:of:history:since:presence:)``.
    public var position: RoomPosition? { self.message.position.map { RoomPosition($0) } }

    /// Whether a moderator has redacted the message. A redacted message has no text; its place, time and sender remain.
    public var isRedacted: Bool { self.message.isRedacted }

    /// The message exactly as it was published; `null` if it is redacted.
    public var json: JSON { self.message.json }

    /// Whether the message comes from the history: it is older than the join, or part of a ``HistoryPage``. Messages after the
    /// position that was passed to ``RoomClient/join(_:of:history:since:presence:)`` count as new.
    public var isHistory: Bool { self.message.isHistory }

    /// The sender of the message.
    public var sender: MessageSender { self.message.sender }

    /// The member that sent the message; `nil` if it came by REST or from an administrator.
    public var member: Member? {
        if case .member(let member) = self.sender { member } else { nil }
    }

    /// Whether this client has published the message, in its present session or in an earlier one of the same ``RoomClient``.
    public var isOwn: Bool { self.member.map { self.client.hasBeen($0.id) } ?? false }

    /// The message as the type of the room. Each access decodes it again.
    ///
    /// A message that cannot be decoded does not end the feed, because every member can publish any JSON. To skip such messages:
    /// `guard let body = try? message.body else { continue }`.
    ///
    /// - Throws: ``RoomClientError/Code/decodingFailed`` if the message is redacted or has another type.
    public var body: Body {
        get throws(RoomClientError) {
            if self.isRedacted { throw RoomClientError(.decodingFailed, "a moderator has redacted the message") }
            return try self.coding.decode(self.json)
        }
    }

    /// The text of the message; `nil` if it is not a JSON string.
    public var text: String? { self.json.string }
}

/// Decodes messages as the type of the room.
struct BodyCoding<Body: Sendable>: Sendable {
    let decode: @Sendable (JSON) throws(RoomClientError) -> Body
}

extension BodyCoding where Body: Decodable {
    static var decodable: BodyCoding {
        BodyCoding { (json) throws(RoomClientError) in try json.decode(as: Body.self) }
    }
}

extension UniqueID {
    init(_ id: UUID) {
        let (high, low) = withUnsafeBytes(of: id.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
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

/// A page of stored messages, the oldest message first.
public struct HistoryPage<Body: Sendable>: Sendable {
    /// The messages in the order of the room. Redacted messages are tombstones, see ``RoomMessage/isRedacted``.
    public let messages: [RoomMessage<Body>]
    /// The first and the last place in the room's log that this page covers; `nil` if the page is empty. A place need not belong
    /// to a message: redactions have places too.
    public let seqs: ClosedRange<UInt64>?
    /// Messages that are damaged in the broker's file, with the reason ``RoomGap/Reason/lost``; `nil` if there are none. They are the
    /// last before the oldest message of a page that was read with ``Room/history(after:limit:)``, and the first behind the newest
    /// message of any other page.
    public let gap: RoomGap?
    /// Whether there are more messages in the requested direction. To read them, ask for messages before the lower bound, or
    /// after the upper bound, of ``seqs``.
    public let hasMore: Bool
}

/// The broker's acknowledgement of a publish: the message has its place in the room, and is stored as durably as the channel is
/// configured.
public struct PublishReceipt: Sendable, Hashable {
    /// The id that the broker gave the message.
    public let id: UUID
    /// The place of the message in the room; `nil` for an ephemeral message.
    public let seq: UInt64?
    /// The time at which the broker accepted the message, by the broker's clock.
    public let time: Date
    /// Whether the broker already had the message. A repeat is not delivered again.
    public let isDuplicate: Bool

    init(_ receipt: Receipt) {
        self.id = UUID(receipt.id)
        self.seq = receipt.seq
        self.time = Date(receipt.id)
        self.isDuplicate = receipt.isDuplicate
    }
}
