import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// The lines of a JSON client on their way to its connection.
final class JSONLines {
    var framer: LineFramer
    /// A frame that has to be given again, once an earlier one is answered.
    private(set) var waiting: Item?
    private let decoder: FrameDecoder
    private let limits: FrameLimits
    private var badLines: BadLines

    enum Item {
        case frame(ClientFrame)
        case error(RequestError)
    }

    init(limits: FrameLimits, badLines: BadLines) {
        self.badLines = badLines
        self.framer = LineFramer(limits: limits)
        self.decoder = FrameDecoder(limits: limits)
        self.limits = limits
    }

    /// - Returns: whether all complete lines have been handled.
    func process(_ connection: Connection) -> Bool {
        if let item = self.waiting {
            self.waiting = nil
            guard self.give(item, to: connection) else { return false }
        }
        while !connection.isBackedUp {
            guard !self.badLines.hasEnded, let line = self.framer.next() else { return true }
            switch line {
            case .line(let bytes):
                guard self.handle(bytes, connection) else { return false }
            case .tooLong:
                let text = "the line is longer than \(self.limits.line) bytes; it is skipped up to its newline"
                guard self.refuse(RequestError(.lineTooLong, text), connection) else { return false }
            case .endless:
                connection.goodbye(
                    .lineTooLong,
                    reason: "no newline within \(self.limits.endlessLine) bytes; end each frame with one"
                )
                return true
            }
        }
        return false
    }

    /// The peer sends nothing more: a last line may lack its newline.
    func finish(_ connection: Connection) -> Bool {
        guard let line = self.framer.takeUnfinished() else { return true }
        return self.handle(line, connection)
    }

    private func handle(_ line: ByteBuffer, _ connection: Connection) -> Bool {
        // a blank line is a keep-alive of old clients, or the second half of a CR LF
        if line.readableBytesView.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return true }
        do throws(RequestError) {
            return self.give(.frame(try self.decoder.decode(line)), to: connection)
        } catch {
            return self.refuse(error, connection)
        }
    }

    private func refuse(_ error: RequestError, _ connection: Connection) -> Bool {
        guard self.badLines.allowsOneMore(error.text, on: connection) else { return true }
        return self.give(.error(error), to: connection)
    }

    private func give(_ item: Item, to connection: Connection) -> Bool {
        let handling =
            switch item {
            case .frame(let frame): connection.handle(frame)
            case .error(let error): connection.handle(error)
            }
        switch handling {
        case .done: return true
        case .wait:
            self.waiting = item
            return false
        }
    }
}
