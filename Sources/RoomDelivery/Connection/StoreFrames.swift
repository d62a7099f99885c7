import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A page of the store as frames: those of the log, or only its messages as `history_message` where they are numbered;
/// or as lines of text.
struct StoreFrames {
    var bytes = ByteBuffer()
    /// Up to where the bytes are written or on their way.
    var offset = 0
    private var ends: [Int] = []

    init(_ entries: [LogEntry], _ wireFormat: WireFormat, room: RoomName, numbering: HistoryNumbering?) {
        let writer = PublishWriter(room: room)
        var messages = 0
        for entry in entries {
            let index = numbering?.index(of: entry.seq, offset: messages)
            wireFormat.write(stored: entry, index: index, writer, into: &self.bytes)
            if entry.kind != .redaction { messages += 1 }
            self.ends.append(self.bytes.writerIndex)
        }
    }

    /// The entries that are written.
    var count: Int { self.ends.count { $0 <= self.offset } }

    func end(_ index: Int) -> Int { self.ends.first { $0 > index } ?? self.bytes.writerIndex }
}
