import NIOCore

/// Server-sent events out of the bytes of a stream (WHATWG HTML §9.2), as far as the admin API sends them.
struct EventLines: Sendable {
    struct Event: Equatable, Sendable {
        var id: String?
        var type = ""
        var data = ""
    }

    private var unread = ByteBuffer()
    private var event = Event()

    /// - Returns: the events that this piece completes.
    mutating func read(_ piece: ByteBuffer) -> [Event] {
        self.unread.discardReadBytes()
        self.unread.writeImmutableBuffer(piece)
        var events: [Event] = []
        while let end = self.unread.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unread.readString(length: end - self.unread.readerIndex) ?? ""
            self.unread.moveReaderIndex(forwardBy: 1)
            if line.isEmpty {
                if !self.event.data.isEmpty { events.append(self.event) }
                self.event = Event()
            } else {
                self.take(line)
            }
        }
        return events
    }

    private mutating func take(_ line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        switch line[..<colon] {
        case "id": self.event.id = String(value)
        case "event": self.event.type = String(value)
        case "data": self.event.data = String(value)
        // A comment, or when to come back.
        default: return
        }
    }
}
