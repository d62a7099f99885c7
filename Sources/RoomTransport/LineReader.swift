import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// The lines of one client on their way to its connection, in order: one that has to wait holds up those behind it.
final class LineReader<Decoder: LineDecoding>: ItemReader<Decoder> {
    var framer: LineFramer

    init(_ decoder: Decoder, limits: FrameLimits, badLines: BadLines) {
        self.framer = LineFramer(limits: limits)
        super.init(decoder, badLines)
    }

    /// Handles lines while the connection has credit for them.
    func process(_ connection: Connection) -> InputFlow.Progress {
        if self.isWaiting {
            let progress = self.giveAgain(to: connection)
            guard progress == .through else { return progress }
        }
        while !connection.isBackedUp {
            if self.framer.hasUnread, !connection.share.hasCredit { return .outOfTurn }
            guard !self.isCutOff, let line = self.framer.next() else { return .through }
            let progress: InputFlow.Progress
            switch line {
            case .line(let bytes): progress = self.handle(bytes, connection)
            case .tooLong: progress = self.handleTooLong(limit: self.framer.lineLimit, connection)
            case .endless:
                connection.goodbye(
                    .lineTooLong,
                    reason: "no newline within \(self.framer.endlessLimit) bytes; end each \(Decoder.unit) with one"
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
}
