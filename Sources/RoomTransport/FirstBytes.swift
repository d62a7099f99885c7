import NIOCore
import RoomWire

/// What a client has sent while it is not known which protocol it speaks.
struct FirstBytes {
    private(set) var bytes = ByteBuffer()
    private(set) var telnet = TelnetFilter()
    private(set) var line = UnendedLine()
    /// When the connection was accepted: a plain-text client hears what was said since.
    let acceptedAt: NIODeadline

    /// Adds what was read. Of a client that may speak plain text, without what telnet says to telnet.
    ///
    /// - Returns: which protocol they all are of.
    mutating func append(_ read: ByteBuffer, at now: NIODeadline) -> ProtocolDetector {
        var joined = self.bytes
        joined.writeImmutableBuffer(read)
        let detected = ProtocolDetector(joined, paused: false)
        if case .json = detected {
            self.bytes = joined
            return detected
        }
        let text = self.telnet.text(in: read)
        if self.line.received(text, at: now) { self.bytes.writeStaticString("\n") }
        self.bytes.writeImmutableBuffer(text)
        return ProtocolDetector(self.bytes, paused: false)
    }

    /// Drops the first so many. Copied: blanks without end take no memory.
    mutating func drop(_ count: Int) {
        self.bytes = ByteBuffer(bytes: self.bytes.skipping(count).readableBytesView)
    }
}

/// What one plain-text client sends, on its way to be cut into lines.
final class TextInput {
    let lines: LineReader<TextLineDecoder>
    private var telnet: TelnetFilter
    private var line: UnendedLine

    /// - Parameter skip: so many of the first bytes are no part of a line.
    init(_ lines: LineReader<TextLineDecoder>, first: FirstBytes, skip: Int) {
        self.lines = lines
        self.telnet = first.telnet
        self.line = first.line
        lines.framer.append(first.bytes.skipping(skip))
    }

    func append(_ read: ByteBuffer, at now: NIODeadline) {
        let text = self.telnet.text(in: read)
        let isInsideCharacter = !self.lines.framer.hasUnread && self.lines.framer.endsInsideCharacter
        if self.line.received(text, at: now, isInsideCharacter: isInsideCharacter) { self.endLine() }
        self.lines.framer.append(text)
    }

    /// When the line that has begun ends if nothing comes; `nil`: it does not end by itself.
    var deadline: NIODeadline? { self.line.deadline }

    /// Nothing has come for a while: what there is, is the line, unless it stops within a character.
    ///
    /// - Returns: whether to come again, since what was read before is not looked at yet.
    func paused() -> Bool {
        if self.lines.framer.hasUnread { return true }
        guard !self.lines.framer.endsInsideCharacter else { return false }
        self.line.paused()
        self.endLine()
        return false
    }

    private func endLine() {
        self.lines.framer.append(ByteBuffer(staticString: "\n"))
    }
}

extension ByteBuffer {
    func skipping(_ count: Int) -> ByteBuffer {
        var rest = self
        rest.moveReaderIndex(forwardBy: count)
        return rest
    }
}
