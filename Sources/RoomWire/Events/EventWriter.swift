package import NIOCore
import RoomJSON
package import RoomModel

/// Writes Server-Sent Events (WHATWG HTML §9.2.6): each ends with an empty line, and nothing in them has a line break of
/// its own.
package enum EventWriter {
    /// Appends `data: …`, the event whose data is the line that `write` appends with its newline.
    package static func write(into buffer: inout ByteBuffer, line write: (inout ByteBuffer) -> Void) {
        buffer.writeStaticString("data: ")
        write(&buffer)
        buffer.writeStaticString("\n")
    }

    /// Appends `id: EPOCH:SEQ`, a field of the event that has to follow; a `seq` of 0 is no place in a log.
    package static func writeID(_ epoch: Epoch, seq: UInt64, into buffer: inout ByteBuffer) {
        guard seq > 0 else { return }
        buffer.writeStaticString("id: ")
        self.writePlace(epoch, seq, into: &buffer)
        buffer.writeStaticString("\n")
    }

    /// Appends an event without data: nobody is told of it, but it is the place at which the client comes back.
    package static func writeMark(_ epoch: Epoch, seq: UInt64, into buffer: inout ByteBuffer) {
        buffer.writeStaticString("id: ")
        self.writePlace(epoch, seq, into: &buffer)
        buffer.writeStaticString("\n\n")
    }

    /// Appends how many milliseconds the client is to wait before it comes back.
    package static func writeRetry(milliseconds: Int, into buffer: inout ByteBuffer) {
        buffer.writeString("retry: \(milliseconds)\n\n")
    }

    /// Appends a comment, which keeps proxies from taking the stream for dead.
    package static func writePing(into buffer: inout ByteBuffer) {
        buffer.writeStaticString(": ping\n\n")
    }

    private static func writePlace(_ epoch: Epoch, _ seq: UInt64, into buffer: inout ByteBuffer) {
        buffer.writeString(epoch.description)
        buffer.writeStaticString(":")
        buffer.writeDecimal(Int64(clamping: seq))
    }

    /// Where the event ends that has bytes at or behind an index.
    ///
    /// - Parameter buffer: begins with the start of an event.
    package static func end(ofEventAfter index: Int, in buffer: ByteBuffer) -> Int {
        let start = max(index - 1, buffer.readerIndex)
        let bytes = buffer.viewBytes(at: start, length: buffer.writerIndex - start) ?? ByteBufferView()
        var newline = bytes.firstIndex(of: UInt8(ascii: "\n"))
        while let first = newline, first + 1 < bytes.endIndex {
            if bytes[first + 1] == UInt8(ascii: "\n") { return first + 2 }
            newline = bytes[(first + 1)...].firstIndex(of: UInt8(ascii: "\n"))
        }
        return buffer.writerIndex
    }
}

extension Position {
    /// Reads `EPOCH:SEQ`, the id of an event: the place behind which a client comes back.
    package init?(eventID text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = Epoch(parts[0]), parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let seq = UInt64(parts[1]), seq <= UInt64(Int64.max)
        else { return nil }
        self.init(epoch: epoch, seq: seq)
    }
}
