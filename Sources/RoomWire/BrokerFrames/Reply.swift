import NIOCore
import RoomModel

/// The broker's answer to the request with this callback. What it answers only the asker knows, and reads it with the
/// function for that. Most answers are receipts, so what these need is read with the frame; the others read the line again.
package struct Reply: Equatable, Sendable {
    package let callback: Int64
    package let error: ReplyError?
    let id: UniqueID?
    let seq: UInt64?
    let isDuplicate: Bool
    let line: ByteBuffer
}
