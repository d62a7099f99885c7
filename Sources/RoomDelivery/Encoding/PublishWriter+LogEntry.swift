import NIOCore
import RoomCore
import RoomWire

extension PublishWriter {
    /// Appends the frame of an entry as the store keeps it, without a newline.
    func writeStored(_ entry: LogEntry, into buffer: inout ByteBuffer) {
        switch entry.kind {
        case .message, .tombstone: self.writeStored(entry.tail, into: &buffer)
        case .redaction: self.writeStoredRedaction(entry.tail, into: &buffer)
        }
    }
}
