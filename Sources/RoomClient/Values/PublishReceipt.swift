public import Foundation
import RoomModel
import RoomWire

/// The broker's acknowledgement of a publish: the message has its place in the room and is as durable as the channel
/// promises.
public struct PublishReceipt: Sendable, Hashable {
    /// The id that the broker gave the message.
    public let id: UUID
    /// Its place in the room.
    public let seq: UInt64?
    /// When the broker accepted it.
    public let time: Date
    /// The broker had it already: this was a repeat, delivered to nobody.
    public let isDuplicate: Bool

    init(_ receipt: Receipt) {
        self.id = UUID(receipt.id)
        self.seq = receipt.seq
        self.time = Date(receipt.id)
        self.isDuplicate = receipt.isDuplicate
    }
}
