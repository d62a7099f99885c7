import NIOCore
import RoomModel
import RoomWire

/// Frames in, and the questions they answer.
extension ClientCore {
    func received(_ frame: BrokerFrame) {
        switch frame {
        case .message(let message): self.subscribedRoom(message.room)?.received(message)
        case .members(let list): self.subscribedRoom(list.room)?.received(list)
        case .presence(let event): self.subscribedRoom(event.room)?.received(event)
        case .gap(let event): self.subscribedRoom(event.room)?.received(event)
        case .redaction(let event): self.subscribedRoom(event.room)?.received(event)
        case .cleared(let event): self.subscribedRoom(event.room)?.received(event)
        case .notice(let event): self.received(event)
        case .mute(let event): self.received(event)
        case .reply(let reply): self.received(reply)
        case .removed(let removal): self.received(removal)
        case .goodbye(let goodbye): self.received(goodbye)
        case .failure(let error, _, _):
            if RoomClientError.Code(rawValue: error.code) == .tokenExpired { self.renewToken() }
        case .ping: self.write { ClientFrameWriter.pong(into: &$0) }
        case .pong, .unknown: break
        }
    }

    private func received(_ reply: Reply) {
        if self.publishAnswered(reply) { return }
        let ticket = UInt64(bitPattern: reply.callback)
        let error = reply.error.map { RoomClientError($0) }
        if error?.code == .tokenExpired {
            self.renewToken()
            if self.isRenewingToken, self.pendingRequests.postpone(ticket) { return }
        }
        guard let handler = self.pendingRequests.remove(ticket) else { return }
        handler(error.map { .failure($0) } ?? .success(reply))
    }

    /// Sends a request that has one reply.
    ///
    /// - Parameters:
    ///   - subject: what is asked: about who this is the broker is asked first.
    ///   - frame: writes the frame with this `callback`.
    ///   - handler: called with the reply, or with why there is none; not at all for ``PendingRequests/Persistence/dropped``
    ///     when the connection ends first.
    func ask(
        _ persistence: PendingRequests.Persistence,
        about subject: PendingRequests.Subject = .other,
        _ frame: (Int64, inout ByteBuffer) -> Void,
        handler: @escaping (ClientCore, Result<Reply, RoomClientError>) -> Void
    ) {
        let ticket = self.tickets.next()
        var buffer = ByteBuffer()
        frame(Int64(bitPattern: ticket), &buffer)
        if let error = self.tooLong(buffer) { return handler(self, .failure(error)) }
        let isSent = self.isReady || (persistence == .dropped && self.link != nil)
        guard isSent || persistence == .repeated else {
            handler(self, .failure(RoomClientError(.notConnected, "there is no connection to the broker now")))
            return
        }
        let deadline = isSent ? self.requestDeadline : nil
        self.pendingRequests.add(buffer, about: subject, ticket: ticket, persistence, deadline: deadline) {
            [unowned self] result in handler(self, result)
        }
        if isSent { self.write { $0.writeImmutableBuffer(buffer) } }
        self.armDeadline(deadline)
    }

    /// Sends what has waited for a connection or a token.
    func sendWaiting(about subject: PendingRequests.Subject) {
        for frame in self.pendingRequests.takeUnsent(about: subject, deadline: self.requestDeadline) {
            self.write { $0.writeImmutableBuffer(frame) }
        }
        self.armDeadline(self.pendingRequests.nextDeadline)
    }

    /// What the broker would answer without a callback.
    func tooLong(_ frame: ByteBuffer) -> RoomClientError? {
        let (length, limit) = (frame.readableBytes - 1, self.configuration.longestLine)
        guard length > limit else { return nil }
        let text = "the request has \(length) bytes, the broker takes lines of \(limit) at most"
        return RoomClientError(.messageTooLarge, text)
    }

    /// What a reply says.
    func read<Value>(
        _ result: Result<Reply, RoomClientError>,
        _ body: (Reply) throws(BrokerFrameError) -> Value
    ) throws(RoomClientError) -> Value {
        let reply = try result.get()
        do throws(BrokerFrameError) {
            return try body(reply)
        } catch {
            throw RoomClientError(error)
        }
    }
}

extension RoomClientError {
    init(_ error: ReplyError) {
        let code = Code(rawValue: error.code)
        self.init(
            code,
            code == .authenticationRequired ? Self.tokenWanted : error.text,
            retryAfter: error.retryAfterMilliseconds.map { .milliseconds($0) }
        )
    }

    /// In place of Scaledrone's `Unauthorized`, which is all that the broker says.
    private static let tokenWanted = "the channel wants an access token, and this client has shown none"

    init(_ error: BrokerFrameError) {
        self.init(.protocolViolation, "the broker's answer is not understood: \(error.text)")
    }
}
