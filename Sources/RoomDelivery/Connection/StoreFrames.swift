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

    init(
        _ entries: [LogEntry],
        _ wireFormat: WireFormat,
        room: RoomName,
        _ epoch: Epoch,
        numbering: HistoryNumbering?
    ) {
        let writer = PublishWriter(room: room)
        var messages = 0
        for entry in entries {
            let index = numbering?.index(of: entry.seq, offset: messages)
            wireFormat.write(stored: entry, epoch, index: index, writer, into: &self.bytes)
            if entry.kind.isMessage { messages += 1 }
            self.ends.append(self.bytes.writerIndex)
        }
    }

    /// The entries that are written.
    var count: Int { self.ends.count { $0 <= self.offset } }

    func end(_ index: Int) -> Int { self.ends.first { $0 > index } ?? self.bytes.writerIndex }
}

/// A page of the store, and what was encoded of it for those who share it. Confined to an event loop.
final class StorePage {
    let page: LogPage
    private var encoded: [Form: StoreFrames] = [:]

    private struct Form: Hashable {
        var wireFormat: WireFormat
        var numbering: HistoryNumbering?
    }

    init(_ page: LogPage) {
        self.page = page
    }

    /// - Parameter epoch: of the log that the page is from.
    func frames(
        _ wireFormat: WireFormat,
        room: RoomName,
        _ epoch: Epoch,
        numbering: HistoryNumbering?
    ) -> StoreFrames {
        let form = Form(wireFormat: wireFormat, numbering: numbering)
        if let frames = self.encoded[form] { return frames }
        let frames = StoreFrames(self.page.entries, wireFormat, room: room, epoch, numbering: numbering)
        self.encoded[form] = frames
        return frames
    }
}
