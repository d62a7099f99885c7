package import NIOCore
package import RoomModel

/// One line of an export: an entry of a room's log, with the bytes that the store keeps of it.
package struct ExportedEntry: Equatable, Sendable {
    package let kind: EntryKind
    package let seq: UInt64
    package let id: UniqueID
    /// From `"id":` to the closing brace, a slice of the line.
    package let tail: ByteBuffer
}

extension ExportedEntry {
    /// A log can have twice as many: so many messages can still come behind what is imported.
    private static let highestSeq: UInt64 = 1 << 39
    /// The sender stands one level deeper in a frame than what clients have sent of it.
    private static let frameLevels = 2

    /// Reads a line as `roomline history export` writes it, without its line break.
    ///
    /// Its bytes are what everybody is sent who reads the room's history, so it is taken as it stands or not at all: with
    /// the fields that a stored frame has, and no others.
    ///
    /// - Throws: `RequestError` with `malformed_json`, `invalid_utf8`, `nesting_too_deep`, `duplicate_field`,
    ///   `missing_field`, `invalid_field`, `message_too_large`.
    package init(_ line: ByteBuffer, limits: FrameLimits) throws(RequestError) {
        let (kind, seq, id, start) = try line.withUnsafeReadableBytes { bytes throws(RequestError) in
            let fields = try ExportFields(bytes, nestingLimit: limits.nesting + Self.frameLevels)
            let id = try fields.stamp()
            let seq = try fields.number("seq", in: 1...Self.highestSeq)
            try fields.checkSender()
            if try fields.isRedaction {
                try fields.checkRedaction(seq: seq)
                return (EntryKind.redaction, seq, id, try fields.tailStart())
            }
            let message = try fields.range("message", "a JSON value").count
            // only the broker's limit: the channel's may have been higher when this was published
            guard message <= limits.message else {
                throw RequestError(
                    .messageTooLarge,
                    "the message has \(message) bytes; the limit is \(limits.message)"
                )
            }
            try fields.checkTombstone()
            return (fields.isTombstone ? .tombstone : .message, seq, id, try fields.tailStart())
        }
        let length = line.readableBytes - start
        let tail = line.getSlice(at: line.readerIndex + start, length: length) ?? ByteBuffer()
        self.init(kind: kind, seq: seq, id: id, tail: tail)
    }
}
