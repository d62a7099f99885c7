import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Coming into rooms and leaving them.
extension Member {
    @discardableResult
    func subscribe(_ request: SubscribeRequest, callback: Int64?) -> Connection.Handling {
        if self.unasked == nil {
            if self.joins.delay(request.rooms) { return .wait }
            guard self.askToken(about: request.rooms) else { return .unfinished }
            switch self.session.subscribeReceived(request, placesLeft: self.placesLeft, callback: callback) {
            case .wait: return .wait
            case .refuse(let error):
                self.asked = 0
                self.connection.refuse(error)
                self.connection.endStream(error)
                return .done
            case .join(let plan):
                self.asked = 0
                self.unasked = UnaskedRooms(plan, ticket: self.joins.add(plan))
            }
        }
        return self.askRooms { self.connection.share.hasCredit }
    }

    /// Has the token's answers for the rooms of a frame at hand: as many at once as there is credit for, since each costs as much
    /// as the token has patterns.
    private func askToken(about rooms: RoomSelection) -> Bool {
        guard case .many(let names) = rooms else { return true }
        while self.asked < names.count, self.connection.share.hasCredit {
            if case .success(let room) = names[self.asked] { _ = self.session.permission(for: room) }
            self.asked += 1
            self.payForPermissions()
        }
        return self.asked == names.count
    }

    /// Asks the rooms of a subscribe to let the member in, as long as this holds; one of them in any case.
    func askRooms(while goesOn: () -> Bool) -> Connection.Handling {
        guard let ticket = self.unasked?.ticket else { return .done }
        defer { self.countPlaces() }
        while let unasked = self.unasked, let room = unasked.rooms.first {
            self.ask(room, start: unasked.start, presence: unasked.presence)
            self.unasked?.rooms.removeFirst()
            if unasked.rooms.count > 1, !goesOn() { return .unfinished }
        }
        self.unasked = nil
        self.answerIfComplete(ticket)
        return .done
    }

    /// - Parameter isRepeat: the broker asks again by itself, for a member that is in the room.
    private func ask(_ room: RoomName, start: JoinCommand.Start, presence: Bool?, isRepeat: Bool = false) {
        let identity = self.session.identity
        self.resumption.asked(room)
        let permission = self.session.permission(for: room)
        let command = JoinCommand(
            connection: self.connection.ref,
            member: identity.sender,
            clientID: identity.clientID,
            wireFormat: self.connection.wireFormat,
            start: start,
            historyDepth: permission.history,
            resumes: self.resumption.resumes,
            isModerator: permission.moderate,
            isRepeat: isRepeat,
            asksPresence: presence
        )
        self.connection.share.spend(Work.join)
        self.chargeData(in: self.shard.submit(.join(command), to: room, in: self.channel))
    }

    /// The owner has let this member in.
    func attached(_ admission: Admission, at cursor: Cursor, to replica: Replica) {
        let room = replica.key.room
        if admission.join.isResync {
            guard let subscriber = self.asker(admission.join, in: room) else { return }
            if case .reading(let replay) = subscriber.state { return subscriber.logIsOpen(to: replay) }
            guard subscriber.resynced(self.bounded(admission), at: cursor) else { return }
            // as with a subscribe, its list of members is copied when the connection is flushed
            self.subscriptions.answered(room)
            self.owesDelivery = true
            self.shard.enqueue(self.connection)
            return
        }
        self.resumption.joined(room)
        if let error = self.session.ban(from: room) {
            self.banned(from: room, whileJoining: error)
            return
        }
        // a room that has let it in late, and has not heard of its leaving, takes its first subscribe for another one
        if admission.isRenewal, self.session.rooms[room] != .joining {
            if let subscriber = self.subscriptions[room] {
                subscriber.takeChanges(atOnce: .max)
                subscriber.renew(self.bounded(admission), at: cursor)
            } else {
                // it was taken out after it had asked
                self.ask(room, start: admission.join.start, presence: admission.join.asksPresence)
            }
            return
        }
        let grant = admission.grant
        guard let answered = self.joins.answer(room, .joined(epoch: grant.epoch, seq: grant.seq)) else { return }
        let subscriber = Subscriber(
            member: self,
            replica: replica,
            overflow: answered.overflow,
            admission: self.bounded(admission),
            cursor: cursor
        )
        self.subscriptions.add(subscriber)
        self.session.joinAnswered(room, joined: true)
        self.answerIfComplete(answered.ticket)
        // the lists that wait are counted when it is flushed
        if self.subscriptions.listBytes > 0 { self.shard.enqueue(self.connection) }
        self.connection.onEvent?(.ready)
    }

    /// Asks a room again that has answered a subscribe of a member at a place that is not the member's any more.
    func repeatRenewal(_ admission: Admission, in room: RoomName) {
        self.ask(room, start: admission.join.start, presence: admission.join.asksPresence, isRepeat: true)
    }

    /// A member that has subscribed again has got all that came before the room's answer.
    func renewed(_ subscriber: Subscriber, _ grant: JoinGrant) {
        let room = subscriber.replica.key.room
        guard let answered = self.joins.answer(room, .joined(epoch: grant.epoch, seq: grant.seq)) else { return }
        subscriber.overflow = answered.overflow
        self.session.joinAnswered(room, joined: true)
        self.answerIfComplete(answered.ticket)
        if self.subscriptions.listBytes > 0 { self.shard.enqueue(self.connection) }
        self.goOnLater()
    }

    /// Frames that had to wait may be given again: not in the midst of a delivery.
    func goOnLater() {
        let number = self.connection.ref.number
        self.shard.ref.post { $0.connections[number]?.onEvent?(.ready) }
    }

    /// The same without its list of members where too much of such lists waits already.
    private func bounded(_ admission: Admission) -> Admission {
        guard let snapshot = admission.snapshot,
            self.subscriptions.listBytes + snapshot.list.readableBytes > self.shard.limits.waitingLists
        else { return admission }
        var admission = admission
        admission.snapshot = snapshot.countOnly
        return admission
    }

    /// The subscriber that waits for the answer to this question of where to go on. One that was asked before the log ended is
    /// answered too late: it is of another place, though the member may have asked again since.
    private func asker(_ join: JoinCommand, in room: RoomName) -> Subscriber? {
        guard let subscriber = self.subscriptions[room], subscriber.takeChanges(atOnce: .max), subscriber.asksRoom,
            case .resync(subscriber.lastSeq, _) = join.start
        else { return nil }
        return subscriber
    }

    /// The room has let the member in while it was banned from it.
    private func banned(from room: RoomName, whileJoining error: RequestError) {
        guard let answered = self.joins.answer(room, .refused(error)) else { return }
        self.session.joinAnswered(room, joined: false)
        self.countPlaces()
        self.leave(room)
        self.answerIfComplete(answered.ticket)
        self.connection.onEvent?(.ready)
    }

    /// The owner has not let this member in, or cannot say where it is to go on.
    func joinRefused(_ join: JoinCommand, to room: RoomName, _ error: RequestError) {
        if join.isResync {
            guard self.asker(join, in: room) != nil else { return }
            self.connection.goodbye(
                error.code,
                reason: error.text,
                retryAfterMilliseconds: error.retryAfterMilliseconds
            )
            return
        }
        self.resumption.refused(room)
        guard let answered = self.joins.answer(room, .refused(error)) else { return }
        self.session.joinAnswered(room, joined: false)
        self.countPlaces()
        self.answerIfComplete(answered.ticket)
        self.connection.onEvent?(.ready)
    }

    func answerIfComplete(_ number: Int) {
        guard let ticket = self.joins.takeComplete(number) else { return }
        for case .success(let room) in ticket.plan.rooms { self.subscriptions[room]?.takeChanges() }
        self.answer(ticket)
        for case .success(let room) in ticket.plan.rooms { self.subscriptions.answered(room) }
        // when the connection is flushed: there may be many rooms, and many may have joined an observable room at once
        self.owesDelivery = true
        self.shard.enqueue(self.connection)
    }

    /// Begins with the rooms whose subscribes are answered, as far as the client reads: the lists of members of all of
    /// them can be large.
    func beginAnswered(_ budget: inout WorkBudget) {
        while self.subscriptions.hasAnswered, !self.connection.isBackedUp {
            guard !budget.isSpent else {
                self.shard.enqueue(self.connection)
                break
            }
            self.beginNext(&budget)
        }
        // they begin when the client has read, or the others have had their turn
        if self.subscriptions.hasAnswered { self.owesDelivery = true }
    }

    /// Writes the frames that follow the answer to a subscribe before the answers to what the client asked behind it.
    func beginAnsweredFirst() {
        guard self.subscriptions.hasAnswered else { return }
        var budget = WorkBudget()
        let before = budget
        self.beginAnswered(&budget)
        self.connection.share.spend(budget.spent(since: before))
    }

    private func beginNext(_ budget: inout WorkBudget) {
        guard let subscriber = self.subscriptions.popAnswered() else { return }
        subscriber.takeChanges()
        guard case .held(let admission) = subscriber.state else { return }
        let waiting = self.connection.writer.waitingReplies
        subscriber.begin(admission, at: subscriber.cursor)
        budget.spend(Work.copy(bytes: self.connection.writer.waitingReplies - waiting))
        guard !admission.join.isResync else { return }
        self.tellMutes(in: subscriber.replica.key.room)
        self.tellRules(of: subscriber.replica.key)
    }

    private func answer(_ ticket: PendingJoin) {
        guard ticket.plan.isMany else { return self.answerOne(ticket) }
        guard let callback = ticket.plan.callback, self.connection.wireFormat.hasControlFrames else { return }
        let replies = ticket.replies { self.subscriptions.heldAdmission(in: $0) }
        for case let error? in replies.map(\.refusal) { self.connection.countRefusal(error) }
        let spent = self.connection.share.spent
        self.connection.reply(to: callback, RoomsReply(replies))
        // as much as many rooms cost, and in the turn of one of them
        self.shard.context.answering += self.connection.share.spent - spent
    }

    private func answerOne(_ ticket: PendingJoin) {
        if case .refused(let error) = ticket.answers.first ?? nil {
            self.connection.refuse(error.answering(ticket.plan.callback))
            self.connection.endStream(error)
            return
        }
        guard let callback = ticket.plan.callback, self.connection.wireFormat.hasControlFrames,
            case .success(let room) = ticket.plan.rooms.first,
            let admission = self.subscriptions.heldAdmission(in: room)
        else { return }
        let reply = HeldReply(
            callback: callback,
            isRecovery: ticket.plan.request.since != nil,
            presence: admission.presenceToTell
        )
        if self.connection.wireFormat.listsMembersFirst, admission.snapshot != nil {
            self.subscriptions[room]?.heldReply = reply
        } else {
            self.send(reply, admission.grant)
        }
    }

    func send(_ reply: HeldReply, _ grant: JoinGrant) {
        self.connection.reply(
            to: reply.callback,
            SubscribeReply(epoch: grant.epoch, seq: grant.seq, recovered: grant.recovered, presence: reply.presence)
        )
        // with `since` the client has a place to come back to, until it gets something newer
        if !reply.isRecovery { self.connection.marks(grant.epoch, grant.start) }
    }

    // MARK: Leaving

    func unsubscribe(_ selection: RoomSelection, callback: Int64?) -> Connection.Handling {
        if self.departure == nil {
            switch self.session.unsubscribeReceived(selection, callback: callback) {
            case .wait: return .wait
            case .refuse(let error):
                // Scaledrone's JavaScript client asks for no answer, and would tell the app of an error
                if callback != nil || error.code != .notSubscribed { self.connection.refuse(error) }
                return .done
            case .leave(let rooms, let isMany):
                let departure = Departure(rooms: rooms, callback: callback, isMany: isMany)
                self.connection.share.spend(Work.refusal * departure.refusals)
                self.departure = departure
                self.countPlaces()
            }
        }
        return self.leaveRooms { self.connection.share.hasCredit }
    }

    /// Leaves the rooms of an unsubscribe, as long as this holds; one of them in any case.
    ///
    /// - Parameter inOrder: what the member has published before comes to it first.
    func leaveRooms(inOrder: Bool = true, while goesOn: () -> Bool) -> Connection.Handling {
        while let room = self.departure?.popNext() {
            if inOrder, self.hasPublished {
                // what it has published is on its way to it: the room says when it is out of it
                self.departure?.awaits(room)
                self.submit(.leave(self.clientID, self.connection.ref), to: room)
            } else {
                self.leave(room)
            }
            if self.departure?.isComplete == false, !goesOn() { return .unfinished }
        }
        if inOrder, self.departure?.awaitsRooms ?? false { return .wait }
        guard let departure = self.departure.take(), let callback = departure.callback else { return .done }
        if departure.isMany {
            self.connection.reply(to: callback, RoomsReply(departure.replies))
        } else {
            self.connection.reply { $0.reply(to: callback) }
        }
        return .done
    }

    func leave(_ room: RoomName) {
        self.subscriptions.remove(room)
        self.submit(.leave(self.clientID, self.connection.ref), to: room)
        // the room may have heard that it lingers
        if self.resumption.isLeaving { self.submit(.graceEnded(self.clientID), to: room) }
    }

    /// The room that an unsubscribe waits for has taken the member out: it gets what came before as far as the socket takes it.
    private func left(_ room: RoomName, before end: Cursor) {
        self.subscriptions[room]?.deliver(before: end)
        self.subscriptions.remove(room)
        self.shard.enqueue(self.connection)
        self.goOnLater()
    }

    /// A room's owner has taken the connection out. At its end it gets all that came before. To a text client each line is
    /// a write of its own, so a whole window is written in turns.
    func detached(_ room: RoomName, before cursor: Cursor) {
        if self.departure?.answered(room) ?? false { return self.left(room, before: cursor) }
        guard self.connection.lifecycle.isLeaving, let subscriber = self.subscriptions[room] else { return }
        let end = subscriber.replica.window.end
        // a room does not answer one whom it has taken out
        guard subscriber.cursor.chunk < end, !subscriber.asksRoom else { return self.detached(subscriber) }
        subscriber.endChunk = end
        let work = LongWork(in: self.shard.flows, sharing: self.group, share: self.shareLeft) { [weak self] in
            guard let self, self.subscriptions.contains(subscriber), !subscriber.hasEnded else { return nil }
            let before = subscriber.writer.writes
            subscriber.deliver()
            let writes = subscriber.writer.writes - before
            return writes > 0 && !subscriber.writer.isBlocked ? writes * Work.write(bytes: 0) : nil
        }
        work.whenDone { [weak self] in
            guard let self else { return }
            // the rest follows as soon as the socket takes it
            if subscriber.writer.isBlocked, !subscriber.hasEnded { return }
            self.detached(subscriber)
        }
        work.takeTurn()
    }

    /// The subscriber has got the last of what came before its end.
    func detached(_ subscriber: Subscriber) {
        guard self.subscriptions.contains(subscriber) else { return }
        let room = subscriber.replica.key.room
        self.subscriptions.remove(room)
        self.session.removed(from: room)
        if self.resumption.token != nil { self.resumption.linger([room]) }
        self.countPlaces()
        self.shard.enqueue(self.connection)
    }

    // MARK: Its rooms

    func listRooms(callback: Int64?) -> Connection.Handling {
        if let error = self.session.refusal(callback) {
            self.connection.refuse(error)
            return .done
        }
        guard let callback else {
            self.connection.refuse(Session.missingCallback)
            return .done
        }
        guard self.session.isSettled else { return .wait }
        let rooms = self.session.rooms.keys.lazy.compactMap { room in
            self.subscriptions[room].map {
                RoomReply(room: .success(room), epoch: $0.epoch, seq: $0.lastSeq)
            }
        }
        self.connection.reply(to: callback, RoomsReply(rooms))
        return .done
    }
}
