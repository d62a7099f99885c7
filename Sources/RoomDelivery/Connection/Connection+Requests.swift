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
            return self.query(.members(room), callback: frame.callback) { .members($0) }
        case .history(var request):
            return self.query(.history(request.room), callback: frame.callback) { origin in
                request.depth = self.session.permission(for: request.room).history
                return .history(origin, request)
            }
        case .rooms: return self.listRooms(callback: frame.callback)
        case .moderate(let request): return self.moderate(request, callback: frame.callback)
        case .authenticate(let token): return self.authenticate(token, callback: frame.callback)
        case .ping: return self.ping(callback: frame.callback)
        case .pong: return .done
        }
    }

    /// A line that is no frame.
    package func handle(_ error: RequestError) -> Handling {
        self.heartbeat?.lastHeard = self.shard.now
        switch self.session.state {
        case .resuming: return .wait
        case .closed: return .done
        case .awaitingHandshake, .open: break
        }
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

    // MARK: Publish

    private func publish(_ request: PublishRequest, callback: Int64?) -> Handling {
        if self.session.isSanctioned { self.reviewEndedSanctions() }
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
            self.shard.owner.take(.publish(command), in: owned)
        } else if let channel = self.session.identity?.channel {
            self.lastPublished = self.shard.submit(.publish(command), to: room, in: channel)
        }
    }

    func acknowledged(_ acknowledgement: Acknowledgement) {
        guard let callback = acknowledgement.origin.callback else { return }
        self.awaited -= 1
        self.shard.tally.counters.acknowledgements += 1
        self.writer.reply { buffer in
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
        if let error = self.updateRefusal() {
            self.refuse(error.answering(callback))
            return .done
        }
        self.session.updated(clientData: clientData)
        guard let identity = self.session.identity else { return .done }
        self.tellRooms(identity)
        if let callback { self.reply { $0.field("callback", callback) } }
        return .done
    }

    /// Why the member may not be shown otherwise just now; `nil` where it may.
    func updateRefusal() -> RequestError? {
        if self.session.isSanctioned { self.reviewEndedSanctions() }
        return self.session.sanctionOnUpdate ?? self.rateRefusal()
    }

    /// Its rooms show the member as it is now.
    func tellRooms(_ identity: Identity) {
        for room in self.session.rooms.keys {
            self.shard.submit(.update(identity.sender), to: room, in: identity.channel)
        }
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
            self.goodbye(.heartbeatTimeout, reason: "the client sent nothing for two heartbeats")
            return
        }
        self.reply { $0.field("type", "ping") }
        self.shard.setDeadline(.heartbeat(connection: self.ref.number), in: heartbeat.interval)
    }
}
