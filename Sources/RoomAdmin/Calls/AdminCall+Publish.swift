public import Foundation
public import RoomClient

extension AdminCall where Answer == AdminReceipt {
    /// Publishes in a room as an administrator, whatever its rules are. The sender has the kind `admin`.
    ///
    /// If the connection is lost before the answer, send the same call again: the broker publishes it once.
    ///
    /// - Parameters:
    ///   - message: what is published, byte for byte.
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - idempotencyKey: within ten minutes, a repeat with this key gets the receipt of the first request.
    public static func publish(
        _ message: JSON,
        to room: String,
        in channel: String,
        idempotencyKey: UUID = UUID()
    ) -> Self {
        var request = AdminRequest(.post, ["channels", channel, "rooms", room, "messages"], json: message)
        request.idempotencyKey = idempotencyKey
        return Self(document: request)
    }
}
