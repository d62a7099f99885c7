import NIOCore
import RoomModel
import RoomWire

/// Shaking hands, authenticating, and what the broker says of the connection as a whole.
extension ClientCore {
    func greet() {
        let (memberData, token) = (self.identity.memberData, self.identity.token.known)
        let request = HandshakeRequest(
            channel: self.identity.channel,
            clientData: memberData?.buffer,
            token: token,
            resumable: true,
            resume: self.resumeToken,
            heartbeat: Int(self.configuration.heartbeat.components.seconds)
        )
        self.ask(.dropped, about: .identity) {
            ClientFrameWriter.handshake(request, callback: $0, into: &$1)
        } handler: { core, result in
            core.greeted(result, as: memberData, with: token)
        }
    }

    /// - Parameter token: what the handshake has shown; the app may have given another one since.
    private func greeted(_ result: Result<Reply, RoomClientError>, as memberData: JSON?, with token: String?) {
        do throws(RoomClientError) {
            let reply = try self.read(result) { reply throws(BrokerFrameError) in try reply.handshake() }
            self.acceptedMemberData = memberData
            self.clientID = reply.clientID
            self.resumeToken = reply.resumeToken
            let authenticates = !self.identity.token.isNone && (token == nil || token != self.identity.token.known)
            self.run(self.machine.welcomed(authenticates: authenticates, now: self.loop.now))
        } catch {
            self.refused(error)
        }
    }

    /// The broker did not take the handshake or the token. An answer that is not understood refuses nothing: it ends the
    /// connection, as any line does that is none of the protocol's.
    private func refused(_ error: RoomClientError) {
        self.failed(error, isFinal: !self.mayPass(error) && error.code != .protocolViolation)
    }

    /// Whether the same may succeed later: unchanged, or with another token.
    private func mayPass(_ error: RoomClientError) -> Bool {
        error.isRetryable || (error.code == .tokenExpired && self.identity.token.canRenew)
    }

    func authenticate() {
        self.withToken { core, result in
            do throws(RoomClientError) {
                core.send(token: try result.get(), .dropped) { core, result in
                    switch result {
                    case .success: core.run(core.machine.authenticated(now: core.loop.now))
                    case .failure(let error): core.refused(error)
                    }
                }
            } catch {
                core.failed(error)
            }
        }
    }

    /// The token has expired in the middle of things: gets another one while the connection goes on.
    func renewToken() {
        guard self.isReady, self.identity.token.canRenew, !self.isRenewingToken else { return }
        self.isRenewingToken = true
        self.withToken { core, result in
            do throws(RoomClientError) {
                core.send(token: try result.get(), .dropped) { core, result in
                    core.isRenewingToken = false
                    switch result {
                    case .success: core.resumeWithNewToken()
                    case .failure(let error): core.refused(error)
                    }
                }
            } catch {
                core.failed(error)
            }
        }
    }

    /// What was refused meanwhile is asked and published again.
    private func resumeWithNewToken() {
        self.sendWaiting(about: .other)
        self.outbox.resendPostponed()
        self.scheduleFlush()
    }

    /// The app's own `authenticate(_:)`.
    func authenticate(_ token: String, waiter: Waiter<Void>) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        // A token that this connection refuses is none to come back with.
        if !self.isReady { self.identity.token = .fixed(token) }
        self.want()
        self.send(token: token, .repeated) { core, result in
            if case .success = result { core.identity.token = .fixed(token) }
            waiter.answer(result.map { _ in })
        }
    }

    private func send(
        token: String,
        _ persistence: PendingRequests.Persistence,
        handler: @escaping (ClientCore, Result<Reply, RoomClientError>) -> Void
    ) {
        self.ask(persistence, about: .identity) {
            ClientFrameWriter.authenticate(token: token, callback: $0, into: &$1)
        } handler: {
            handler($0, $1)
        }
    }

    /// - Parameter work: not called when the connection has ended in the meantime.
    private func withToken(_ work: @escaping @Sendable (ClientCore, Result<String, RoomClientError>) -> Void) {
        switch self.identity.token {
        case .none: break
        case .fixed(let token): work(self, .success(token))
        case .provider(let provider): self.askProvider(provider, work)
        }
    }

    private func askProvider(
        _ provider: @escaping RoomClient.TokenProvider,
        _ work: @escaping @Sendable (ClientCore, Result<String, RoomClientError>) -> Void
    ) {
        let core = NIOLoopBound(self, eventLoop: self.loop)
        let (clientID, loop, ticket) = (self.clientID, self.loop, self.tickets.next())
        self.tokenTasks[ticket] = Task {
            let result: Result<String, RoomClientError>
            do {
                result = .success(try await provider(clientID))
            } catch {
                result = .failure(
                    RoomClientError(.tokenProviderFailed, "the app's token provider failed", cause: error)
                )
            }
            loop.execute {
                // Only here it is sure that the connection that asked is still the present one.
                guard let task = core.value.tokenTasks.removeValue(forKey: ticket), !task.isCancelled else { return }
                work(core.value, result)
            }
        }
    }

    /// The connection as a whole.
    func received(_ goodbye: Goodbye) {
        let error = RoomClientError(
            RoomClientError.Code(rawValue: goodbye.code),
            goodbye.reason,
            isRetryable: goodbye.reconnects,
            retryAfter: goodbye.retryAfterMilliseconds.map { .milliseconds($0) }
        )
        self.failed(error, isFinal: !goodbye.reconnects)
    }

    // MARK: For the app

    func connect(_ waiter: Waiter<String>) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        if self.isReady { return waiter.answer(.success(self.clientID)) }
        self.connecting.append(waiter)
        self.want()
    }

    func update(memberData: JSON, waiter: Waiter<Void>) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        self.identity.memberData = memberData
        // The next handshake tells it; where that is on its way already, the client does as soon as it is welcome.
        guard self.isReady else { return waiter.answer(.success(())) }
        self.tell(memberData) { waiter.answer($0) }
    }

    /// What the app said of this client while the handshake was on its way.
    func tellMemberDataOfMeanwhile() {
        guard let memberData = self.identity.memberData, memberData != self.acceptedMemberData else { return }
        self.tell(memberData) { _ in }
    }

    /// Not repeated on the next connection, whose handshake says it, or what is newer.
    private func tell(_ memberData: JSON, handler: @escaping (Result<Void, RoomClientError>) -> Void) {
        self.ask(.fails) {
            ClientFrameWriter.update(clientData: memberData.buffer, callback: $0, into: &$1)
        } handler: { core, result in
            switch result {
            case .success:
                core.acceptedMemberData = memberData
                handler(.success(()))
            case .failure(let error) where error.code == .connectionLost: handler(.success(()))
            case .failure(let error):
                // Or the next handshake would be refused.
                if core.identity.memberData == memberData { core.identity.memberData = core.acceptedMemberData }
                handler(.failure(error))
            }
        }
    }

    /// - Parameter done: answered when the connection is closed, with what is still to be waited for.
    func close(_ done: Waiter<[Task<Void, Never>]>?) {
        let tasks = Array(self.tokenTasks.values)
        guard self.isReady, let channel = self.link?.channel else {
            self.run(self.machine.closed())
            done?.answer(.success(tasks))
            return
        }
        self.sayFarewell(on: channel)
        self.run(self.machine.closed())
        channel.closeFuture.whenComplete { _ in done?.answer(.success(tasks)) }
    }

    /// Leaves the rooms, so that the others see it now and not after the grace period of a session that may come back, and
    /// lets the broker read that before the connection ends: closing at once could throw it away.
    private func sayFarewell(on channel: any Channel) {
        for room in self.rooms.keys {
            self.write { ClientFrameWriter.unsubscribe(room: room, callback: nil, into: &$0) }
        }
        let outgoing = self.link?.outgoing ?? ByteBuffer()
        self.link?.isFarewell = true
        channel.writeAndFlush(outgoing, promise: nil)
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: Self.farewellTime) { channel.close(promise: nil) }
    }

    private static let farewellTime = TimeAmount.seconds(1)
}
