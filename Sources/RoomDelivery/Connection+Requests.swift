import NIOCore
import OrderedCollections
import RoomCore
package import RoomModel
import RoomWire

/// What a JSON client asks, frame by frame.
extension Connection {
    package enum Handling {
        case done
        /// An earlier frame has to be answered first: give this one again after `onReady`.
        case wait
    }

    package func handle(_ frame: ClientFrame) -> Handling {
        self.heartbeat?.lastHeard = self.shard.now
        switch frame.request {
        case .publish(let request): return self.publish(request, callback: frame.callback)
        case .handshake(let request): return self.handshake(HandshakeFrame(request: request, callback: frame.callback))
        case .subscribe(let request): return self.subscribe(request, callback: frame.callback)
        case .unsubscribe(let selection): return self.unsubscribe(selection, callback: frame.callback)
        case .update(let clientData): return self.update(clientData, callback: frame.callback)
        case .members(let room):
            return self.query(
                .members(Origin(connection: self.ref, callback: frame.callback, isQuery: true)),
                room,
                frame.callback
            )
        case .history(let request):
            let origin = Origin(connection: self.ref, callback: frame.callback, isQuery: true)
            return self.query(.history(origin, request), request.room, frame.callback)
        case .rooms: return self.listRooms(callback: frame.callback)
        case .authenticate: return self.authenticate(callback: frame.callback)
        case .ping: return self.ping(callback: frame.callback)
        case .pong: return .done
        }
    }

    /// A line that is no frame.
    package func handle(_ error: RequestError) -> Handling {
        self.heartbeat?.lastHeard = self.shard.now
        if case .resuming = self.session.state { return .wait }
        if error.isAboutHandshake, self.session.state == .awaitingHandshake {
            self.refuseHandshake(error)
        } else {
            self.refuse(error)
        }
        return .done
    }

    /// Whether the frame can be handled now; answers it where it never can.
    private func admit(_ callback: Int64?) -> Handling? {
        switch self.session.admission(callback) {
        case .admitted: return nil
        case .wait: return .wait
        case .closed: return .done
        case .refused(let error):
            self.refuse(error)
            return .done
        }
    }

    // MARK: Handshake

    private func handshake(_ frame: HandshakeFrame) -> Handling {
        if frame.request.token != nil, self.session.state == .awaitingHandshake {
            self.refuseHandshake(self.noSecrets.answering(frame.callback))
            return .done
        }
        if let seconds = frame.request.heartbeat, !Heartbeat.bounds.contains(seconds) {
            let error = RequestError(
                .invalidField,
                "\"heartbeat\" has to be \(Heartbeat.bounds) seconds",
                callback: frame.callback
            )
            self.refuseHandshake(error)
            return .done
        }
        let channel = self.shard.environment.channels[frame.request.channel]
        let action = self.session.handshakeReceived(frame, channel: channel, newID: self.shard.newClientID())
        return self.run(action, channel: channel)
    }

    private func run(_ action: Session.HandshakeAction, channel: RoomChannel?) -> Handling {
        switch action {
        case .welcome(let welcome): self.welcome(welcome)
        case .resume(let token):
            if let channel { self.shard.resume(token, in: channel, for: self) }
        case .refuse(let error) where error.code == .alreadyConnected: self.refuse(error)
        case .refuse(let error): self.refuseHandshake(error)
        case .wait: return .wait
        case .none: break
        }
        return .done
    }

    func resumeAnswered(_ earlier: ResumedSession?) {
        guard case .resuming(let frame) = self.session.state,
            let channel = self.shard.environment.channels[frame.request.channel]
        else {
            if let earlier { self.shard.leave(earlier) }
            return
        }
        _ = self.run(
            self.session.resumeAnswered(earlier, channel: channel, newID: self.shard.newClientID()),
            channel: channel
        )
        self.onReady?()
        self.shard.enqueue(self)
    }

    private func welcome(_ welcome: Welcome) {
        if welcome.isResumable { self.token = self.shard.issueToken(to: self) }
        if !welcome.lingeringRooms.isEmpty, let identity = self.session.identity {
            self.lingeringRooms = Set(welcome.lingeringRooms)
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
        guard let callback = welcome.callback else { return }
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("client_id", welcome.clientID.text)
            if let token = self.token { frame.field("resume_token", token) }
            if let resumed = welcome.resumed { frame.field("resumed", resumed) }
        }
    }

    /// With an empty `client_id`: Scaledrone's Swift client crashes without one.
    private func refuseHandshake(_ error: RequestError) {
        self.reply { frame in
            frame.error(error)
            if error.callback != nil { frame.field("client_id", "") }
        }
    }

    private var noSecrets: RequestError {
        RequestError(
            .tokenInvalid,
            "this channel has no secret that a token could be checked with; connect without a token"
        )
    }

    private func authenticate(callback: Int64?) -> Handling {
        if let handling = self.admit(callback) { return handling }
        self.refuse(self.noSecrets.answering(callback))
        return .done
    }

    // MARK: Publish

    private func publish(_ request: PublishRequest, callback: Int64?) -> Handling {
        let origin = Origin(connection: self.ref, callback: callback)
        switch self.session.publishReceived(request, origin: origin) {
        case .publish(let command): self.publish(command, to: request.room)
        case .refuse(let error): self.refuse(error)
        case .wait: return .wait
        case .none: break
        }
        return .done
    }

    private func publish(_ command: PublishCommand, to room: RoomName) {
        if let error = self.rateRefusal() {
            self.refuse(command.refused(error, in: room))
            return
        }
        if command.origin.callback != nil { self.awaited += 1 }
        if let owned = self.lastPublished, owned.key.room == room, !owned.isForgotten {
            self.shard.accept(.publish(command), in: owned)
        } else if let channel = self.session.identity?.channel {
            self.lastPublished = self.shard.submit(.publish(command), to: room, in: channel)
        }
    }

    func acknowledged(_ acknowledgement: Acknowledgement) {
        guard let callback = acknowledgement.origin.callback else { return }
        self.awaited -= 1
        self.outlet.reply { buffer in
            AcknowledgementWriter.write(
                callback: callback,
                seq: acknowledgement.seq,
                isDuplicate: acknowledgement.isDuplicate,
                stamp: acknowledgement.stamp,
                into: &buffer
            )
        }
        self.shard.enqueue(self)
    }

    /// The owner has refused what this connection asked of it.
    func refused(_ error: RequestError, to origin: Origin) {
        self.refuse(error)
        if origin.isQuery {
            self.queryAnswered()
        } else if origin.callback != nil {
            self.awaited -= 1
        }
    }

    // MARK: Member data, heartbeat

    private func update(_ clientData: ByteBuffer, callback: Int64?) -> Handling {
        if let handling = self.admit(callback) { return handling }
        self.session.updated(clientData: clientData)
        guard let identity = self.session.identity else { return .done }
        for room in self.session.rooms.keys {
            self.shard.submit(.update(identity.sender), to: room, in: identity.channel)
        }
        if let callback { self.reply { $0.field("callback", callback) } }
        return .done
    }

    private func ping(callback: Int64?) -> Handling {
        if case .resuming = self.session.state { return .wait }
        self.reply { frame in
            if let callback {
                frame.field("callback", callback)
            } else {
                frame.field("type", "pong")
            }
        }
        return .done
    }

    func heartbeatDue() {
        guard let heartbeat, self.session.state == .open else { return }
        if heartbeat.isDead(self.shard.now) {
            self.goodbye(.heartbeatTimeout, reason: "nothing was heard for two heartbeats")
            return
        }
        self.reply { $0.field("type", "ping") }
        self.shard.setDeadline(.heartbeat(connection: self.ref.number), in: heartbeat.interval)
    }
}
