import RoomCore
import RoomModel
import RoomWire

/// Bans and mutes of one member, and its removal from rooms.
extension Member {
    /// Looks at what holds now, and does what follows from it.
    func reviewSanctions() {
        let identity = self.session.identity
        let activeSanctions = self.connection.activeSanctions(
            of: identity.user,
            identity.clientID,
            in: identity.channel
        )
        guard self.session.isSanctioned || !activeSanctions.isClear else { return }
        let change = self.session.changeSanctions(to: activeSanctions)
        self.shard.noteSanctioned(self)
        if let ban = change.channelBan {
            self.connection.expel(.banned, reason: RequestError.banned(ban).text)
            return
        }
        for (room, ban) in change.roomBans.sorted(by: { $0.key.text < $1.key.text }) { self.banned(from: room, ban) }
        if self.leaveBannedRooms() { self.forgetToken() }
        for mute in change.mutes where !self.isComing(into: mute.scope.room) { self.connection.tell(.mute(mute)) }
    }

    func reviewEndedSanctions() {
        guard let end = self.session.activeSanctions.nextEnd, end <= self.shard.environment.clock() else { return }
        self.reviewSanctions()
    }

    // MARK: Bans

    private func banned(from room: RoomName, _ ban: Sanction) {
        // one that is on its way in is turned back when it arrives
        guard let subscriber = self.subscriptions[room] else { return }
        let error = RequestError.banned(ban)
        if !self.connection.wireFormat.hasControlFrames {
            return self.connection.expel(error.code, reason: error.text)
        }
        self.forgetToken()
        let wasTold = self.takeOut(subscriber, error)
        self.leave(room)
        if !wasTold { self.tellRemoved(from: room, error.code, reason: error.text) }
    }

    /// Takes the member out of a room and tells it why.
    func remove(from room: RoomName, _ code: Code, reason: String) {
        self.session.removed(from: room)
        self.countPlaces()
        self.leave(room)
        self.tellRemoved(from: room, code, reason: reason)
    }

    /// Leaves the rooms that a resumed session may not come back into.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    func leaveBannedRooms() -> Bool {
        guard self.session.isSanctioned else { return false }
        let banned = self.resumption.takeRoomsToLeave { self.session.ban(from: $0) != nil }
        self.submit(.graceEnded(self.clientID), to: banned)
        return !banned.isEmpty
    }

    // MARK: Removals

    /// The room's owner has taken the member out: it has got all that came before.
    func removed(_ removal: MemberRemoval, from room: RoomName, before end: Cursor) {
        // benign race: it has left
        guard let subscriber = self.subscriptions[room] else { return }
        if self.departure?.answered(room) ?? false { self.goOnLater() }
        let error = removal.error(in: room)
        if !self.connection.wireFormat.hasControlFrames {
            return self.connection.expel(error.code, reason: removal.line(in: room))
        }
        subscriber.deliver(before: end)
        if !self.takeOut(subscriber, error) {
            self.tellRemoved(from: room, error.code, reason: error.text, by: removal.sender)
        }
    }

    /// - Returns: whether the member is told so in the answer to its subscribe.
    private func takeOut(_ subscriber: Subscriber, _ error: RequestError) -> Bool {
        let (room, renewal) = (subscriber.replica.key.room, subscriber.renewal)
        self.subscriptions.remove(room)
        self.session.removed(from: room, isAskedAgain: self.session.rooms[room] == .renewing && renewal == nil)
        self.countPlaces()
        self.shard.enqueue(self.connection)
        if renewal != nil, let answered = self.joins.answer(room, .refused(error)) {
            self.answerIfComplete(answered.ticket)
            self.goOnLater()
        }
        guard case .held(let admission) = subscriber.state else { return false }
        // who was in the room before has to know that it is not any more
        return self.joins.revoke(room, error) && !admission.isRenewal
    }

    private func tellRemoved(from room: RoomName, _ code: Code, reason: String, by sender: Sender = .broker) {
        self.connection.tell(.removed(from: room, code, reason: reason), stamp: self.shard.context.stamp(by: sender))
        self.connection.endStream(RequestError(code, reason))
    }

    // MARK: Mutes

    /// Says of a place that the member comes into that it cannot publish there.
    ///
    /// - Parameter room: `nil`: the channel.
    func tellMutes(in room: RoomName?) {
        let scope = ActiveSanctions.Scope(room)
        guard self.session.isSanctioned, let mute = self.session.activeSanctions.mute(at: scope) else { return }
        self.connection.tell(.mute(MuteChange(scope: scope, mute: mute)))
    }

    // MARK: Rules of a room

    /// Says of a room that the member comes into that it is locked, or in slow mode.
    func tellRules(of room: RoomKey) {
        for notice in self.shard.context.sanctions.rules(of: room)?.notices ?? [] {
            self.connection.tell(.notice(notice, room.room))
        }
    }

    /// It is not in the room yet: it is told of its mutes when it begins there.
    private func isComing(into room: RoomName?) -> Bool {
        room.flatMap { self.subscriptions.heldAdmission(in: $0) }.map { !$0.join.isResync && !$0.isRenewal } ?? false
    }
}
