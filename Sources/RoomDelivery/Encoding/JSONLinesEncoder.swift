import NIOCore
import RoomCore
package import RoomModel
import RoomWire

/// The entries of a room as JSON lines: each entry is a frame and its newline.
package struct JSONLinesEncoder {
    let room: RoomName
    let writer: PublishWriter

    package init(room: RoomName) {
        self.room = room
        self.writer = PublishWriter(room: room)
    }

    /// Appends the frame of an entry.
    ///
    /// - Returns: what the store keeps of it (`LogEntry.tail`), as absolute indices.
    func write(_ entry: RoomEntry, into bytes: inout ByteBuffer) -> Range<Int> {
        switch entry.content {
        case .message(let message):
            let seq = entry.seq > 0 ? entry.seq : nil
            return self.writer.write(message, stamp: entry.stamp, seq: seq, into: &bytes)
        case .redaction(let tombstone, let reason):
            return self.writer.writeRedaction(
                ofMessage: tombstone.seq,
                tombstone.id,
                reason: reason,
                stamp: entry.stamp,
                seq: entry.seq,
                into: &bytes
            )
        case .presence(let change, let member):
            let event = PresenceEvent(room: self.room, kind: .init(change), member: member.json)
            FrameWriter.write(into: &bytes, stamp: entry.stamp) { $0.frame(event) }
        case .members(let list):
            let members = ObservableMembers(room: self.room, list)
            FrameWriter.write(into: &bytes, stamp: entry.stamp) { $0.frame(members) }
        case .notice(let notice):
            let event = NoticeEvent(notice, room: self.room)
            FrameWriter.write(into: &bytes, stamp: entry.stamp) { $0.frame(event) }
        // JSON clients get the member's data with its presence
        case .named: break
        }
        return 0..<0
    }

    /// About how many bytes the entries take.
    static func estimate(_ entries: [RoomEntry]) -> Int {
        entries.reduce(0) { sum, entry in
            switch entry.content {
            case .message(let message): sum + message.readableBytes + entry.stamp.sender.json.readableBytes + 240
            case .presence(_, let member): sum + 2 * member.json.readableBytes + 200
            case .members(let list): sum + list.list.readableBytes + 240
            case .named, .notice, .redaction: sum
            }
        }
    }
}

extension PresenceEvent.Kind {
    fileprivate init(_ change: PresenceChange) {
        switch change {
        case .join: self = .joined
        case .leave: self = .left
        case .update: self = .updated
        }
    }
}
