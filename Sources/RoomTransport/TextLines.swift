import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// The lines of a plain-text client on their way to its connection.
///
/// Clients of the old tutorials send no newline at all: until a connection has sent its first, a pause ends the line.
final class TextLines {
    var framer: LineFramer
    private(set) var waiting: TextLine?
    private let room: RoomName
    private let limits: FrameLimits
    private var hasNewlines = false
    private var badLines: BadLines

    init(room: RoomName, limits: FrameLimits, badLines: BadLines) {
        self.badLines = badLines
        self.framer = LineFramer(limits: limits)
        self.room = room
        self.limits = limits
    }

    /// Whether a pause would end the line that has begun.
    var waitsForPause: Bool {
        !self.hasNewlines && self.framer.hasUnfinished && !self.framer.endsInsideCharacter
    }

    /// - Returns: whether all complete lines have been handled.
    func process(_ connection: Connection) -> Bool {
        if let line = self.waiting {
            self.waiting = nil
            guard self.give(line, to: connection) else { return false }
        }
        while !connection.isBackedUp {
            guard !self.badLines.hasEnded, let line = self.framer.next() else { return true }
            self.hasNewlines = true
            switch line {
            case .line(let bytes):
                guard self.handle(TextLine(bytes), connection) else { return false }
            case .tooLong:
                let text = "that line is longer than \(self.limits.line) bytes; it is skipped"
                if self.badLines.allowsOneMore(text, on: connection) { connection.say(text) }
            case .endless:
                connection.goodbye(
                    .lineTooLong,
                    reason: "no newline within \(self.limits.endlessLine) bytes; end each line with one"
                )
                return true
            }
        }
        return false
    }

    /// Nothing has come for a while: what there is, is the line, unless it stops within a character.
    func paused() {
        guard self.waitsForPause, self.waiting == nil else { return }
        self.waiting = self.framer.takeUnfinished().map { TextLine($0) }
    }

    func finish(_ connection: Connection) -> Bool {
        guard let line = self.framer.takeUnfinished() else { return true }
        return self.give(TextLine(line), to: connection)
    }

    private func handle(_ line: TextLine, _ connection: Connection) -> Bool {
        switch line {
        case .json, .invalidUTF8:
            guard self.badLines.allowsOneMore("send text in UTF-8", on: connection) else { return true }
        case .blank, .name, .message, .other: break
        }
        return self.give(line, to: connection)
    }

    private func give(_ line: TextLine, to connection: Connection) -> Bool {
        switch connection.handle(line, room: self.room) {
        case .done: return true
        case .wait:
            self.waiting = line
            return false
        }
    }
}
