import NIOCore
import RoomCore

extension ShardDelivery {
    /// A message of the log was redacted.
    struct Redacted: Sendable {
        /// The message's.
        var seq: UInt64
        /// Takes the place of the window's chunk with its number; `nil` where the window has the message no more.
        var chunk: Chunk?
    }

    /// The room was cleared.
    struct Cleared: Sendable {
        /// The `room_cleared` frame, the same for all.
        var frame: ByteBuffer
        var snapshot: MemberSnapshot?
    }
}
