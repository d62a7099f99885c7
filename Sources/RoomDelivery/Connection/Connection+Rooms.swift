import NIOCore
import OrderedCollections
import RoomCore
import RoomModel
import RoomWire

/// Coming into rooms and leaving them.
extension Connection {
    func subscribe(_ request: SubscribeRequest, callback: Int64?) -> Handling {
        if self.session.isSanctioned { self.reviewEndedSanctions() }
        switch self.session.subscribeReceived(request, callback: callback) {
        case .wait: return .wait
        case .none: return .done
        case .refuse(let error): self.refuse(error)
        case .join(let plan): self.join(plan)
        }
        return .done
    }

    private func join(_ plan: JoinPlan) {
        guard let identity = self.session.identity else { return }
        let ticket = self.joins.add(plan)
        let start =
            plan.request.since.map { .since($0) } ?? JoinCommand.Start.live(historyCount: plan.request.historyCount)
        for case .success(let room) in plan.rooms {
            self.lingeringRooms.remove(room)
            let permission = self.session.permission(for: room)
            let command = JoinCommand(
                connection: self.ref,
                member: identity.sender,
                clientID: identity.clientID,
                wireFormat: self.wireFormat,
                start: start,
                historyDepth: permission.history,
                isModerator: permission.moderate
            )
            self.shard.submit(.join(command), to: room, in: identity.channel)
        }
        self.answerIfComplete(ticket)
    }

    /// The owner has let this connection in.
    func attached(_ admission: Admission, at cursor: Cursor, to replica: Replica) {
        let room = replica.key.room
        if admission.join.isResync {
            guard let subscriber = self.subscribers[room], case .resyncing = subscriber.state else { return }
            self.resynced(subscriber, admission, at: cursor)
            return
        }
        if let error = self.session.ban(from: room) {
            self.banned(from: room, whileJoining: error)
            return
        }
        let grant = admission.grant
        guard let answered = self.joins.answer(room, .joined(epoch: grant.epoch, seq: grant.seq)) else { return }
        let subscriber = Subscriber(
            connection: self,
            replica: replica,
            overflow: answered.overflow,
            state: .held(admission),
            cursor: cursor,
            lastSeq: grant.seq
        )
        self.subscribers[room] = subscriber
        replica.add(subscriber)
        self.session.joinAnswered(room, joined: true)
        self.answerIfComplete(answered.ticket)
        self.onReady?()
    }

    func joinRefused(_ room: RoomName, _ error: RequestError) {
        if let subscriber = self.subscribers[room], case .resyncing = subscriber.state {
            self.goodbye(error.code, reason: error.text, retryAfterMilliseconds: error.retryAfterMilliseconds)
            return
        }
        guard let answered = self.joins.answer(room, .refused(error)) else { return }
        self.session.joinAnswered(room, joined: false)
        self.answerIfComplete(answered.ticket)
        self.onReady?()
    }

    func answerIfComplete(_ number: Int) {
        guard let ticket = self.joins.takeComplete(number) else { return }
        self.answer(ticket)
        for case .success(let room) in ticket.plan.rooms {
            if let subscriber = self.subscribers[room], case .held(let admission) = subscriber.state {
                self.begin(subscriber, admission, at: subscriber.cursor)
                self.tellMutes(in: room)
            }
        }
    }

    private func answer(_ ticket: PendingJoin) {
        if !ticket.plan.isMany {
            if case .refused(let error) = ticket.answers.first ?? nil {
                self.refuse(error.answering(ticket.plan.callback))
                return
            }
            self.answerOne(ticket)
            return
        }
        guard let callback = ticket.plan.callback, self.wireFormat.hasControlFrames else { return }
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("rooms", array: zip(ticket.plan.rooms, ticket.answers)) { pair, buffer in
                switch pair.1 {
                case .joined(let epoch, let seq):
                    // the room may have begun anew while it waited for the others
                    let grant = self.heldGrant(in: pair.0)
                    buffer.writeRoom(pair.0, epoch: grant?.epoch ?? epoch, seq: grant?.seq ?? seq)
                case .refused(let error):
                    self.shard.tally.refused(error.code)
                    buffer.writeRoom(pair.0, refused: error)
                case .none: break
                }
            }
        }
    }

    private func heldGrant(in room: Result<RoomName, RequestError>) -> JoinGrant? {
        guard case .success(let name) = room, case .held(let admission) = self.subscribers[name]?.state else {
            return nil
        }
        return admission.grant
    }

    private func answerOne(_ ticket: PendingJoin) {
        guard let callback = ticket.plan.callback, self.wireFormat.hasControlFrames,
            case .success(let room) = ticket.plan.rooms.first, let subscriber = self.subscribers[room],
            case .held(let admission) = subscriber.state
        else { return }
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("epoch", admission.grant.epoch.description)
            frame.field("seq", admission.grant.seq)
            if let recovered = admission.grant.recovered { frame.field("recovered", recovered) }
        }
    }

    // MARK: Leaving

    func unsubscribe(_ selection: RoomSelection, callback: Int64?) -> Handling {
        switch self.session.unsubscribeReceived(selection, callback: callback) {
        case .wait: return .wait
        case .none: return .done
        case .refuse(let error): self.refuse(error)
        case .leave(let rooms, let isMany):
            for case .success(let room) in rooms { self.leave(room) }
            guard let callback else { return .done }
            self.reply { frame in
                frame.field("callback", callback)
                guard isMany else { return }
                frame.field("rooms", array: rooms) { room, buffer in
                    switch room {
                    case .success: buffer.writeRoom(room)
                    case .failure(let error): buffer.writeRoom(room, refused: error)
                    }
                }
            }
        }
        return .done
    }

    func leave(_ room: RoomName) {
        guard let identity = self.session.identity else { return }
        if let subscriber = self.subscribers.removeValue(forKey: room) { subscriber.replica.remove(subscriber) }
        self.shard.submit(.leave(identity.clientID, self.ref), to: room, in: identity.channel)
    }

    // MARK: Queries

    func query(
        _ query: Session.Query,
        callback: Int64?,
        _ command: (Origin) -> RoomCommand
    ) -> Handling {
        if self.session.isSanctioned { self.reviewEndedSanctions() }
        switch self.session.queryReceived(query, callback: callback) {
        case .wait: return .wait
        case .closed: return .done
        case .refused(let error):
            self.refuse(error)
            return .done
        case .admitted: break
        }
        guard let identity = self.session.identity else { return .done }
        let origin = Origin(connection: self.ref, callback: callback, isQuery: true)
        self.awaited += 1
        self.shard.submit(command(origin), to: query.room, in: identity.channel)
        return .done
    }

    func answerMembers(_ origin: Origin, _ list: MemberSnapshot) {
        guard let callback = origin.callback else { return }
        self.queryAnswered()
        self.reply { frame in
            frame.field("callback", callback)
            frame.memberList("members", list.members, count: list.count)
        }
    }

    func queryAnswered() {
        self.awaited -= 1
        self.session.queryAnswered()
        self.onReady?()
    }

    func listRooms(callback: Int64?) -> Handling {
        switch self.session.admission(callback) {
        case .wait: return .wait
        case .closed: return .done
        case .refused(let error):
            self.refuse(error)
            return .done
        case .admitted: break
        }
        guard let callback else {
            self.refuse(Session.missingCallback)
            return .done
        }
        guard self.session.isSettled else { return .wait }
        let rooms = self.session.rooms.keys.compactMap { self.subscribers[$0] }
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("rooms", array: rooms) { subscriber, buffer in
                buffer.writeRoom(
                    .success(subscriber.replica.key.room),
                    epoch: subscriber.replica.epoch,
                    seq: subscriber.lastSeq
                )
            }
        }
        return .done
    }
}

extension ByteBuffer {
    /// One element of the `rooms` of a reply.
    fileprivate mutating func writeRoom(
        _ room: Result<RoomName, RequestError>,
        epoch: Epoch? = nil,
        seq: UInt64? = nil,
        refused: RequestError? = nil
    ) {
        let name = (try? room.get()) ?? refused?.room
        self.writeStaticString("{\"room\":")
        self.writeJSONString(name?.text ?? "")
        if let epoch { self.writeString(",\"epoch\":\"\(epoch)\"") }
        if let seq { self.writeString(",\"seq\":\(seq)") }
        if let refused {
            self.writeStaticString(",\"error\":")
            self.writeJSONString(refused.text)
            self.writeString(",\"code\":\"\(refused.code.rawValue)\"")
        }
        self.writeStaticString("}")
    }
}
