import NIOCore
import RoomCore
import RoomWire

extension PublishWriter {
    /// Appends the frame of an entry as the store keeps it, without a newline.
    func writeStored(_ entry: LogEntry, into buffer: inout ByteBuffer) {
        self.writeStored(entry.tail, as: entry.kind.frameType, into: &buffer)
    }
}
