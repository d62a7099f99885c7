import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Handshake, tokens, and what a change of the channel means for a connection.
extension Connection {
    func handshake(_ frame: HandshakeFrame) -> Handling {
        if self.session.state == .awaitingHandshake, let seconds = frame.request.heartbeat,
            !Heartbeat.bounds.contains(seconds)
        {
            let error = RequestError(
                .invalidField,
                "\"heartbeat\" has to be \(Heartbeat.bounds) seconds",
                callback: frame.callback
            )
            self.refuseHandshake(error)
            return .done
        }
        let channel = self.shard.channels[frame.request.channel]
        if self.session.state == .awaitingHandshake {
            // who resumes may take the place of its earlier connection: the limit is looked at when that is known
            let isResume = frame.request.resume != nil
            let full = { channel.flatMap { self.count(in: $0, limited: !isResume) } }
            if let error = self.throttled(frame.request.token) ?? full() {
                self.refuseHandshake(error.answering(frame.callback))
                return .done
            }
        }
        let action = self.session.handshakeReceived(
            frame,
            channel: channel,
            newID: self.shard.newClientID(),
            now: self.shard.unixSeconds,
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        return self.run(action, channel: channel)
    }

    private func run(
        _ action: Session.HandshakeAction,
        channel: RoomChannel?,
        earlier: ResumedSession? = nil
    ) -> Handling {
        switch action {
        case .welcome(let welcome): self.welcome(welcome, earlier)
        case .resume(let token):
            if let channel { self.shard.resume(token, in: channel, for: self) }
        case .refuse(let error) where error.code == .alreadyConnected: self.refuse(error)
        case .refuse(let error):
            self.leaveCount()
            if let earlier { self.shard.leave(earlier) }
            self.loginFailed(error)
            self.refuseHandshake(error)
        case .wait: return .wait
        case .none: break
        }
        return .done
    }

    func resumeAnswered(_ earlier: ResumedSession?) {
        guard case .resuming(let frame, _) = self.session.state else {
            if let earlier { self.shard.leave(earlier) }
            return
        }
        let channel = self.shard.channels[frame.request.channel]
        let action = self.session.resumeAnswered(
            earlier,
            channel: channel,
            refusal: channel.flatMap { self.recount(in: $0) },
            newID: self.shard.newClientID(),
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        _ = self.run(action, channel: channel, earlier: earlier)
        self.onReady?()
        self.shard.enqueue(self)
    }

    private func welcome(_ welcome: Welcome, _ earlier: ResumedSession?) {
        if welcome.isResumable { self.token = self.shard.issueToken(to: self) }
        if !welcome.lingeringRooms.isEmpty, let identity = self.session.identity {
            self.lingeringRooms = Set(welcome.lingeringRooms)
            // who it is may be another one by this token, or come from elsewhere
            self.leaveBannedRooms()
            self.shard.setDeadline(
                .lingering(connection: self.ref.number),
                in: TimeAmount(identity.channel.settings.grace)
            )
        }
        if let seconds = welcome.heartbeat {
            let interval = TimeAmount.seconds(Int64(seconds))
            self.heartbeat = Heartbeat(interval: interval, lastHeard: self.shard.now)
            self.shard.setDeadline(.heartbeat(connection: self.ref.number), in: interval)
        }
        self.limitMember(from: earlier?.publishes)
        self.watchToken()
        if welcome.requiresAuthentication { self.lookAtToken(in: Self.renewalTime) }
        self.tellConnected()
        defer { self.tellMutes(in: nil) }
        guard let callback = welcome.callback else { return }
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("client_id", welcome.clientID.text)
            if welcome.requiresAuthentication { frame.field("require_auth", true) }
            if let token = self.token { frame.field("resume_token", token) }
            if let resumed = welcome.resumed { frame.field("resumed", resumed) }
        }
    }

    func tellConnected() {
        guard let identity = self.session.identity else { return }
        self.shard.connections.entered(self.ref.number, as: identity.clientID, in: identity.channel.id)
        self.shard.noteSanctioned(self)
        self.shard.environment.observer?.welcomed(self.ref, as: identity.clientID, in: identity.channel.id)
        self.shard.tell(
            .connected(identity.channel.id, identity.clientID, address: self.address?.description)
        )
    }

    /// With an empty `client_id`: Scaledrone's Swift client crashes without one.
    func refuseHandshake(_ error: RequestError) {
        self.shard.tally.refused(error.code)
        self.reply { frame in
            frame.error(error)
            if error.callback != nil { frame.field("client_id", "") }
        }
    }

    // MARK: The channel's counts and rates

    /// Counts the connection as one of the channel's, or says why there can be no more.
    func count(in channel: RoomChannel, limited: Bool = true) -> RequestError? {
        guard self.countedIn !== channel.usage else { return nil }
        self.leaveCount()
        let limit = channel.settings.limits.connections ?? .max
        guard channel.usage.connectionOpened(limit: limited ? limit : .max) else { return Self.tooMany(limit) }
        self.countedIn = channel.usage
        return nil
    }

    /// The same for a connection that was counted without regard to the limit.
    private func recount(in channel: RoomChannel) -> RequestError? {
        let limit = channel.settings.limits.connections ?? .max
        return self.count(in: channel) ?? (channel.usage.connections > limit ? Self.tooMany(limit) : nil)
    }

    private static func tooMany(_ limit: Int) -> RequestError {
        RequestError(
            .tooManyConnections,
            "the channel has reached its limit of \(limit) connections; try again later",
            retryAfterMilliseconds: 5_000
        )
    }

    func leaveCount() {
        self.countedIn?.connectionClosed()
        self.countedIn = nil
    }

    /// Holds the member to the channel's rate, which goes on where its earlier connection was.
    func limitMember(from earlier: TokenBucket?) {
        guard let rate = self.session.identity?.channel.settings.limits.memberPublishRate else {
            self.memberBucket = nil
            return
        }
        guard let earlier, earlier.perSecond == rate else {
            self.memberBucket = TokenBucket(perSecond: rate, now: self.shard.now.uptimeNanoseconds)
            return
        }
        self.memberBucket = earlier
    }

    // MARK: Tokens

    /// How long a member has to show a token where the channel requires one, or another one when its token has expired.
    private static let renewalTime = TimeAmount.seconds(30)
    /// The end of a token is looked for again after so long at the latest: clocks are set.
    private static let longestWatch: Int64 = 3_600

    func authenticate(_ token: String, callback: Int64?) -> Handling {
        if let error = self.throttled(token) {
            self.refuse(error.answering(callback))
            return .done
        }
        let before = self.session.identity?.sender
        let channel = self.session.identity?.channel
        let action = self.session.authenticateReceived(
            token: token,
            callback: callback,
            now: self.shard.unixSeconds,
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        switch action {
        case .wait: return .wait
        case .none: break
        case .refuse(let error):
            self.loginFailed(error)
            self.refuse(error)
        case .granted(let lost):
            self.watchToken()
            for room in lost {
                self.remove(
                    from: room,
                    .permissionDenied,
                    reason: "the new token does not let you subscribe to this room"
                )
            }
            if let identity = self.session.identity, identity.sender != before { self.tellRooms(identity) }
            if let callback { self.reply { $0.field("callback", callback) } }
            self.reviewSanctions()
        }
        return .done
    }

    /// Too many tokens were refused that came from this address.
    private func throttled(_ token: String?) -> RequestError? {
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

    private func loginFailed(_ error: RequestError) {
        guard error.code == .tokenInvalid else { return }
        self.shard.environment.failedLogins.failed(self.address, now: self.shard.now.uptimeNanoseconds)
    }

    /// Looks at the token again when it ends.
    private func watchToken() {
        guard let end = self.session.tokenEnd else { return }
        self.lookAtToken(in: .seconds(min(max(0, end - self.shard.unixSeconds), Self.longestWatch)))
    }

    private func lookAtToken(in time: TimeAmount) {
        let due = self.shard.now + time
        self.tokenDue = due
        if let timer = self.tokenTimer, timer <= due { return }
        self.tokenTimer = due
        self.shard.setDeadline(.token(connection: self.ref.number), in: time)
    }

    /// A deadline has passed: the one for the token that is shown now, or one that an earlier token has left behind.
    func tokenTimerFired() {
        guard let timer = self.tokenTimer, timer <= self.shard.now else { return }
        self.tokenTimer = nil
        guard let due = self.tokenDue else { return }
        guard due <= self.shard.now else { return self.lookAtToken(in: due - self.shard.now) }
        self.tokenDue = nil
        self.tokenHasEnded()
    }

    private func tokenHasEnded() {
        if let error = self.session.lackOfToken {
            self.goodbye(error.code, reason: "no token was shown in time: \(error.text)")
            return
        }
        guard let end = self.session.tokenEnd else { return }
        guard end <= self.shard.unixSeconds else { return self.watchToken() }
        self.session.tokenExpired()
        self.refuse(
            RequestError(
                .tokenExpired,
                "the token has expired; authenticate with a new one within \(Self.renewalTime.nanoseconds / 1_000_000_000) "
                    + "seconds"
            )
        )
        self.lookAtToken(in: Self.renewalTime)
    }

    // MARK: Changes

    /// The channel has other settings from now on.
    func channelChanged(_ channel: RoomChannel) {
        if let error = self.session.channelChanged(channel) {
            self.goodbye(error.code, reason: error.text)
            return
        }
        self.limitMember(from: self.memberBucket)
        self.watchToken()
    }
}
