import NIOCore
import RoomModel
import RoomWire

/// A line that an import takes is what members will be sent: the SDK can read it, plain-text clients get one line of it,
/// and it comes out of an export as it went in.
enum ExportsFuzz: FuzzTarget {
    static let name = "exports"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let line = bytes.buffer
        let entry: ExportedEntry
        do throws(RequestError) {
            entry = try ExportedEntry(line, limits: FrameLimits())
        } catch {
            return try demand(error.text.isOneSafeLine && error.text.utf8.count < 500, "an error: \(error.text)")
        }
        let room = try self.room(of: line, entry)
        let writer = PublishWriter(room: room)
        var exported = ByteBuffer()
        if entry.kind == .redaction {
            writer.writeStored(entry.tail, as: .messageRedacted, into: &exported)
        } else {
            writer.writeStored(entry.tail, into: &exported)
            try TextLinesFuzz.checkLine { TextLineWriter.stored(entry.tail, into: &$0) }
            try self.checkTombstone(entry, writer)
        }
        let again = try ExportedEntry(exported, limits: FrameLimits())
        try demand(again == entry, "the export is another entry: \(String(buffer: exported))")
        try demand(PublishWriter.id(ofTail: entry.tail) == entry.id, "the tail has another id")
    }

    /// As the SDK reads the line.
    private static func room(of line: ByteBuffer, _ entry: ExportedEntry) throws -> RoomName {
        switch try BrokerFrameDecoder().decode(line) {
        case .entry(.message(let message)):
            try demand(message.id == entry.id && message.seq == entry.seq, "the SDK reads \(message)")
            try demand(message.isRedacted == (entry.kind == .tombstone), "the SDK reads a tombstone as a message")
            return message.room
        case .entry(.redaction(let redaction)):
            try demand(redaction.id == entry.id && redaction.seq == entry.seq, "the SDK reads \(redaction)")
            try demand(entry.kind == .redaction && redaction.targetSeq < redaction.seq, "the SDK reads a redaction")
            return redaction.room
        default: throw BrokenInvariant(description: "the SDK reads neither a message nor a redaction")
        }
    }

    /// The message without its text can be imported as well.
    private static func checkTombstone(_ entry: ExportedEntry, _ writer: PublishWriter) throws {
        guard entry.kind == .message, let tail = PublishWriter.tombstone(of: entry.tail) else { return }
        var line = ByteBuffer()
        writer.writeStored(tail, into: &line)
        let tombstone = try ExportedEntry(line, limits: FrameLimits())
        try demand(tombstone.kind == .tombstone && tombstone.id == entry.id, "the tombstone \(String(buffer: line))")
    }
}
