package import RoomModel

/// A notice on its way into a room.
package struct NoticeCommand: Equatable, Sendable {
    package var notice: Notice
    package var sender: Sender
    /// Is told how many subscribers it has reached.
    package var origin: Origin

    package init(_ notice: Notice, by sender: Sender, origin: Origin) {
        self.notice = notice
        self.sender = sender
        self.origin = origin
    }
}

extension NoticeCommand: RoomOperation {
    package func take(in room: inout Room, into batch: inout RoomBatch) {
        batch.append(.notice(self.notice), by: self.sender)
        batch.answer(RoomAnswer(to: self.origin.connection, .moderated(.notified(room.subscribers.total))))
    }

    package init(placeholder: ()) { self.init(Notice(text: ""), by: .blank, origin: .blank) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.part("notice", &self.notice)
        try visitor.part("sender", &self.sender)
        try visitor.part("origin", &self.origin)
    }
}

extension Notice: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Notice {
        let text = try reader.text("text of a notice")
        let kind = try reader.byte("kind of a notice")
        switch kind {
        case 0: return Notice(text: text)
        case 1: return Notice(text: text, kind: .locked)
        case 2: return Notice(text: text, kind: .unlocked)
        case 3: return Notice(text: text, kind: .slowMode(seconds: try reader.count("seconds of a notice")))
        default: throw reader.error("kind of a notice", .unknown("notice \(kind)"))
        }
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(text: self.text)
        switch self.kind {
        case nil: writer.write(byte: 0)
        case .locked: writer.write(byte: 1)
        case .unlocked: writer.write(byte: 2)
        case .slowMode(let seconds):
            writer.write(byte: 3)
            writer.write(count: seconds)
        }
    }
}
