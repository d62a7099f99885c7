package import NIOCore
package import RoomCore

/// All that a room accepted in one go, encoded as it goes on the wire; immutable, and shared by every subscriber on
/// every event loop.
package final class Chunk: Sendable {
    /// Where one entry ends in the bytes of each wire format, and which message it is.
    package struct Entry: Sendable {
        package let jsonEnd: UInt32
        package let textEnd: UInt32
        /// 0 for what is no entry of the log: presence, ephemeral messages, notices.
        package let seq: UInt64
        /// Means something only where there is a `seq`.
        package let kind: LogEntry.Kind

        package init(jsonEnd: UInt32, textEnd: UInt32, seq: UInt64, kind: LogEntry.Kind = .message) {
            self.jsonEnd = jsonEnd
            self.textEnd = textEnd
            self.seq = seq
            self.kind = kind
        }
    }

    /// An entry that one connection must not get.
    package struct Exclusion: Sendable {
        package let entry: Int
        package let connection: ConnectionRef
    }

    /// Chunks of a room are numbered without holes.
    package let number: Int
    package let json: ByteBuffer
    /// Empty while the room has no plain-text members.
    package let text: ByteBuffer
    package let entries: [Entry]
    package let exclusions: [Exclusion]
    /// The newest message before this chunk.
    package let seqBefore: UInt64
    package let lastSeq: UInt64

    package init(
        number: Int,
        json: ByteBuffer,
        text: ByteBuffer,
        entries: [Entry],
        exclusions: [Exclusion],
        seqBefore: UInt64
    ) {
        self.number = number
        self.json = json
        self.text = text
        self.entries = entries
        self.exclusions = exclusions
        self.seqBefore = seqBefore
        self.lastSeq = entries.last { $0.seq > 0 }?.seq ?? seqBefore
    }

    /// What the chunk costs the memory window.
    package var size: Int { self.json.storageCapacity + self.text.storageCapacity + 24 * self.entries.count + 128 }

    package func bytes(_ wireFormat: WireFormat) -> ByteBuffer {
        switch wireFormat {
        case .jsonLines: self.json
        case .textLines: self.text
        }
    }

    package func end(ofEntry index: Int, _ wireFormat: WireFormat) -> Int {
        switch wireFormat {
        case .jsonLines: Int(self.entries[index].jsonEnd)
        case .textLines: Int(self.entries[index].textEnd)
        }
    }

    /// The first entry that ends after `offset`; the count where none does.
    package func entry(after offset: Int, _ wireFormat: WireFormat) -> Int {
        var (low, high) = (0, self.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.end(ofEntry: middle, wireFormat) > offset {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The newest message that ends at or before `offset`.
    package func seq(at offset: Int, _ wireFormat: WireFormat) -> UInt64 {
        let index = self.entry(after: offset, wireFormat)
        return self.entries[..<index].last { $0.seq > 0 }?.seq ?? self.seqBefore
    }

    package func isExcluded(_ entry: Int, for connection: ConnectionRef) -> Bool {
        self.exclusions.contains { $0.entry == entry && $0.connection == connection }
    }
}
