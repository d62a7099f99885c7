import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// Turns the lines of one kind of client into items, and gives them to its connection.
protocol LineDecoding {
    associatedtype Item

    /// What is at the end of the advice to a client that sends no newline.
    static var unit: String { get }

    /// - Returns: `nil` where there is nothing to handle.
    func decode(_ line: ByteBuffer) -> Item?
    /// A line was longer than `limit` bytes.
    func decodeTooLong(limit: Int) -> Item
    /// What is wrong with the line; `nil`: nothing.
    func flaw(of item: Item) -> String?
    func give(_ item: Item, to connection: Connection) -> Connection.Handling
}

/// The lines of one client on their way to its connection, in order: one that has to wait holds up those behind it.
final class LineReader<Decoder: LineDecoding> {
    var framer: LineFramer
    private let decoder: Decoder
    private let limits: FrameLimits
    private var badLines: BadLines
    /// Has to be given again, once an earlier one is answered.
    private var waiting: Decoder.Item?
    /// The client has ended a line with a newline.
    private var hasNewlines = false

    init(_ decoder: Decoder, limits: FrameLimits, badLines: BadLines) {
        self.framer = LineFramer(limits: limits)
        self.decoder = decoder
        self.limits = limits
        self.badLines = badLines
    }

    /// Whether a line waits for the answer to an earlier one.
    var isWaiting: Bool { self.waiting != nil }

    /// Handles lines while the connection has credit for them.
    func process(_ connection: Connection) -> InputFlow.Progress {
        if let item = self.waiting {
            guard !connection.isBackedUp else { return .waiting }
            self.waiting = nil
            let progress = self.give(item, to: connection)
            guard progress == .through else { return progress }
        }
        while !connection.isBackedUp {
            if self.framer.hasUnread, !connection.share.hasCredit { return .outOfTurn }
            guard !self.badLines.hasEnded, let line = self.framer.next() else { return .through }
            self.hasNewlines = true
            let progress: InputFlow.Progress
            switch line {
            case .line(let bytes): progress = self.handle(bytes, connection)
            case .tooLong: progress = self.handle(self.decoder.decodeTooLong(limit: self.limits.line), connection)
            case .endless:
                connection.goodbye(
                    .lineTooLong,
                    reason: "no newline within \(self.limits.endlessLine) bytes; end each \(Decoder.unit) with one"
                )
                return .through
            }
            guard progress == .through else { return progress }
        }
        return .waiting
    }

    /// The peer sends nothing more: a last line may lack its newline.
    func finish(_ connection: Connection) -> InputFlow.Progress {
        guard let line = self.framer.takeUnfinished() else { return .through }
        return self.handle(line, connection)
    }

    private func handle(_ line: ByteBuffer, _ connection: Connection) -> InputFlow.Progress {
        connection.share.spend(Work.line(bytes: line.readableBytes))
        guard let item = self.decoder.decode(line) else { return .through }
        return self.handle(item, connection)
    }

    private func handle(_ item: Decoder.Item, _ connection: Connection) -> InputFlow.Progress {
        if let flaw = self.decoder.flaw(of: item), !self.badLines.allowsOneMore(flaw, on: connection) {
            return .through
        }
        return self.give(item, to: connection)
    }

    private func give(_ item: Decoder.Item, to connection: Connection) -> InputFlow.Progress {
        switch self.decoder.give(item, to: connection) {
        case .done: return .through
        case .wait:
            self.waiting = item
            return .waiting
        case .unfinished:
            self.waiting = item
            return .outOfTurn
        }
    }
}

/// Clients of the old tutorials send no newline at all: until a connection has sent its first, a pause ends the line.
extension LineReader<TextLineDecoder> {
    /// Whether a pause would end the line that has begun.
    var waitsForPause: Bool {
        !self.hasNewlines && self.framer.hasUnfinished && !self.framer.endsInsideCharacter
    }

    /// Nothing has come for a while: what there is, is the line, unless it stops within a character.
    func paused() {
        guard self.waitsForPause, self.waiting == nil else { return }
        self.waiting = self.framer.takeUnfinished().map { .line(TextLine($0)) }
    }
}
