import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// The messages of one WebSocket client on their way to its connection, in order, and the frames between them.
final class WebSocketReader: ItemReader<JSONLineDecoder> {
    private var framer: WebSocketFramer
    /// The peer has sent its Close, or broken a rule: nothing that follows is looked at.
    private(set) var hasEnded = false
    /// The first message of the peer has begun.
    private(set) var hasBegun = false

    init(limits: FrameLimits, badLines: BadLines) {
        self.framer = WebSocketFramer(role: .server, limits: limits)
        super.init(JSONLineDecoder(limits: limits), badLines)
    }

    var heldBytes: Int { self.framer.heldBytes }
    var unfinishedBytes: Int { self.framer.unfinishedBytes }

    func append(_ bytes: ByteBuffer) {
        self.framer.append(bytes)
    }

    /// Handles frames while the connection has credit for them.
    func process(_ connection: Connection) -> InputFlow.Progress {
        if self.isWaiting {
            let progress = self.giveAgain(to: connection)
            guard progress == .through else { return progress }
        }
        while !connection.isBackedUp {
            if self.framer.hasUnread, !connection.share.hasCredit { return .outOfTurn }
            guard !self.isCutOff, let event = self.framer.next() else { return .through }
            let progress = self.handle(event, connection)
            guard progress == .through else { return progress }
        }
        return .waiting
    }

    private func handle(_ event: WebSocketFramer.Event, _ connection: Connection) -> InputFlow.Progress {
        switch event {
        // stock Swift clients send their JSON in binary messages
        case .message(let bytes, _):
            self.hasBegun = true
            return self.handle(bytes.withoutByteOrderMark, connection)
        case .fragment(let bytes):
            self.hasBegun = true
            connection.share.spend(Work.line(bytes: bytes))
        case .ping(let payload):
            connection.share.spend(Work.line(bytes: payload.readableBytes))
            connection.pinged(payload)
        case .pong: connection.share.spend(Work.line(bytes: 0))
        case .close(let close):
            self.hasEnded = true
            connection.closeReceived(close)
        case .failure(let fault):
            self.hasEnded = true
            connection.failed(fault)
        }
        return .through
    }

    /// Looks for the peer's Close only: the session has ended.
    func lookForClose(_ connection: Connection) {
        while let event = self.framer.next() {
            switch event {
            case .close(let close): connection.closeReceived(close)
            case .failure(let fault): connection.failed(fault)
            case .message, .fragment, .ping, .pong: continue
            }
        }
    }
}
