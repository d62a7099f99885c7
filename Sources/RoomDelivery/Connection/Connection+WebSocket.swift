package import NIOCore
import RoomCore
import RoomModel
package import RoomWire

/// How far the closing handshake of a WebSocket has come (RFC 6455 §7).
enum WebSocketClosing: Equatable {
    /// Can transition to: `received`, `awaited`, `done`.
    case none
    /// The peer has sent a Close with this code: it is answered when all that it asked is. Can transition to: `done`.
    case received(UInt16?)
    /// A Close was sent: the output ends when the peer has answered it. Can transition to: `done`.
    case awaited
    /// No Close is sent any more.
    case done
}

/// The events that the transport hears of a WebSocket beside its messages.
extension Connection {
    /// Something has come from the peer, whatever it is.
    package func heardFromPeer() {
        self.member?.heardFromPeer()
    }

    /// The peer wants to know whether somebody is there.
    package func pinged(_ payload: ByteBuffer) {
        if case .ended = self.state { return }
        self.control(.pong) { $0.writeImmutableBuffer(payload) }
    }

    func ping() {
        self.control(.ping) { _ in }
    }

    private func control(_ opcode: WebSocketOpcode, _ write: (inout ByteBuffer) -> Void) {
        let before = self.writer.waitingReplies
        self.writer.control(opcode, write)
        self.share.spend(Work.reply(bytes: self.writer.waitingReplies - before))
        self.shard.enqueue(self)
    }

    // MARK: The end

    /// The peer has sent a Close. It is answered when what it asked before is; the end of its input has to follow.
    package func closeReceived(_ close: WebSocketClose) {
        switch self.closing {
        case .none: self.closing = .received(close.code)
        case .awaited:
            self.closing = .done
            self.shard.enqueue(self)
        // the framer gives out one, and nothing behind it
        case .received, .done: return
        }
    }

    /// The peer has broken a rule of the protocol: no frame of it can be trusted any more.
    package func failed(_ fault: WebSocketFault) {
        guard self.lifecycle.beginClosing() else {
            if self.closing == .awaited { self.closeReceived(WebSocketClose(code: nil)) }
            return
        }
        let code = fault.code
        self.shard.tally.saidGoodbye(code)
        self.ends(by: .code(code), fault.text)
        self.write(WebSocketClose(code: fault.closeCode, reason: fault.text))
        self.closing = .done
        self.endConnection(code)
    }

    /// The frame behind a `goodbye`: clients of Scaledrone come back only where there is none.
    func writeClose(after code: Code, reason: String) {
        guard self.wireFormat == .webSocket, self.closing == .none else { return self.answerClose() }
        guard !code.reconnects else { return }
        self.write(WebSocketClose(code: code.webSocketCloseCode, reason: reason))
        self.closing = .awaited
    }

    /// Answers the peer's Close, where it has sent one.
    func answerClose() {
        guard case .received(let code) = self.closing else { return }
        self.write(WebSocketClose(code: code))
        self.closing = .done
    }

    private func write(_ close: WebSocketClose) {
        self.control(.close) { close.write(into: &$0) }
    }
}

extension WebSocketFault {
    fileprivate var code: Code {
        switch self.closeCode {
        case 1007: .invalidUTF8
        case 1009: .lineTooLong
        default: .wrongProtocol
        }
    }
}
