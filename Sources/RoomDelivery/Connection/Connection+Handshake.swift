package import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// From the first frame, or the first line of text, to the session.
extension Connection {
    /// The session has to be open by then.
    package func setHandshakeDeadline(in time: TimeAmount) {
        self.shard.setDeadline(.handshake(connection: self.ref.number), in: time)
    }

    /// The transport hears `Event.silent` then, unless the session is open.
    package func setSilenceDeadline(in time: TimeAmount) {
        self.shard.setDeadline(.silence(connection: self.ref.number), in: time)
    }

    var awaitsHandshake: Bool { if case .handshaking = self.state { true } else { false } }

    func handshakeTimedOut() {
        guard self.awaitsHandshake else { return }
        self.goodbye(.handshakeTimeout, reason: "the handshake did not come in time; send it right after connecting")
    }

    func handshake(_ frame: HandshakeFrame, _ handshake: Handshake) -> Handling {
        if handshake.isResuming { return .wait }
        let channel = self.shard.channels[frame.request.channel]
        if let error = self.refusal(of: frame.request, channel) {
            self.refuseHandshake(error.answering(frame.callback))
            return .done
        }
        if let token = frame.request.token { self.share.spend(Work.token(bytes: token.utf8.count)) }
        var handshake = handshake
        let action = handshake.received(
            frame,
            channel: channel,
            newID: self.shard.newClientID(),
            address: self.address,
            now: self.shard.unixSeconds,
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        self.state = .handshaking(handshake)
        return self.run(action, channel: channel)
    }

    /// Why the connection cannot have a session now, whatever its token says.
    func refusal(of request: HandshakeRequest, _ channel: RoomChannel?) -> RequestError? {
        if let seconds = request.heartbeat, !Heartbeat.bounds.contains(seconds) {
            return RequestError(.invalidField, "\"heartbeat\" has to be \(Heartbeat.bounds) seconds")
        }
        if let error = self.throttled(request.token) { return error }
        if let page, let channel, !page.mayUse(channel.settings, hasCredentials: request.token != nil) {
            return WebPage.refused
        }
        if let error = self.refusal(ofClientData: request.clientData, in: channel) { return error }
        // a resume may take the place of an earlier connection: the limit is looked at when that is known
        return channel.flatMap { self.channelSlot.acquire(in: $0, isLimited: request.resume == nil) }
    }

    /// Why the client cannot be shown with this data, or not now.
    func refusal(ofClientData data: ByteBuffer?, in channel: RoomChannel?) -> RequestError? {
        let bytes = data?.readableBytes ?? 0
        if let error = channel?.refusal(ofClientDataBytes: bytes) { return error }
        let places = MemoryBound.places(ofData: bytes)
        guard places > 0, places > self.shard.context.memory.placesLeft(forOneIn: 0) else { return nil }
        return RequestError(.messageTooLarge, "the broker has no memory left for so much \"client_data\"; give less")
    }

    private func run(
        _ action: Handshake.Action,
        channel: RoomChannel?,
        earlier: ResumedSession? = nil
    ) -> Handling {
        switch action {
        case .welcome(let welcome, let session): self.open(session, welcome, earlier)
        case .resume(let token):
            if let channel { self.shard.resume(token, in: channel, for: self) }
        case .refuse(let error):
            self.channelSlot.release()
            if let earlier { self.shard.leave(earlier) }
            self.loginFailed(error)
            self.refuseHandshake(error)
        case .wait: return .wait
        case .none: break
        }
        return .done
    }

    func resumeAnswered(_ earlier: ResumedSession?) {
        guard case .handshaking(var handshake) = self.state, let frame = handshake.resumingFrame else {
            if let earlier { self.shard.leave(earlier) }
            return
        }
        let channel = self.shard.channels[frame.request.channel]
        let action = handshake.resumeAnswered(
            earlier,
            channel: channel,
            refusal: channel.flatMap { self.channelSlot.reacquire(in: $0) },
            newID: self.shard.newClientID(),
            address: self.address,
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        self.state = .handshaking(handshake)
        _ = self.run(action, channel: channel, earlier: earlier)
        self.onEvent?(.ready)
        self.shard.enqueue(self)
    }

    func open(_ session: Session, _ welcome: Welcome, _ earlier: ResumedSession?) {
        let resumes = earlier.map { $0.resumes &+ 1 } ?? 0
        let token = welcome.isResumable ? self.shard.issueToken(to: self, for: session.identity, resumes: resumes) : nil
        let resumption = Resumption(token: token, resumes: resumes, lingering: welcome.lingeringRooms)
        let member = Member(self, session, resumption, publishes: earlier?.publishes)
        self.state = .open(member)
        self.page = nil
        member.begin(heartbeat: welcome.heartbeat)
        defer { member.tellMutes(in: nil) }
        guard let callback = welcome.callback else { return }
        let reply = HandshakeReply(
            clientID: welcome.clientID.text,
            resumeToken: token,
            resumed: welcome.resumed,
            requiresAuthentication: welcome.requiresAuthentication
        )
        self.reply(to: callback, reply)
    }

    /// With an empty `client_id`: Scaledrone's Swift client crashes without one.
    func refuseHandshake(_ error: RequestError) {
        self.countRefusal(error)
        self.reply { frame in
            frame.error(error)
            if error.callback != nil { frame.field("client_id", "") }
        }
    }

    /// The sanctions that hold for this connection once it is of this user and `client_id`.
    func activeSanctions(of user: String?, _ client: ClientID, in channel: RoomChannel?) -> ActiveSanctions {
        guard let channel else { return ActiveSanctions() }
        let person = SanctionedPerson(user: user, client: client, address: self.address)
        return self.shard.activeSanctions(of: person, in: channel.id)
    }

    // MARK: Failed logins

    /// Too many tokens were refused that came from this address.
    func throttled(_ token: String?) -> RequestError? {
        guard token != nil,
            let wait = self.shard.environment.failedLogins.retryAfter(
                self.address,
                now: self.shard.now.uptimeNanoseconds
            )
        else { return nil }
        return RequestError(
            .rateLimited,
            "too many tokens from your address were refused; wait before the next one",
            retryAfterMilliseconds: wait
        )
    }

    func loginFailed(_ error: RequestError) {
        guard error.code == .tokenInvalid else { return }
        self.shard.environment.failedLogins.failed(self.address, now: self.shard.now.uptimeNanoseconds)
    }
}
