import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Bans, mutes and kicks, as they meet one member.
extension Connection {
    /// What holds for this connection once it is of this user and `client_id`.
    func activeSanctions(of user: String?, _ client: ClientID, in channel: RoomChannel?) -> ActiveSanctions {
        guard let channel else { return ActiveSanctions() }
        let person = SanctionedPerson(user: user, client: client, address: self.address)
        return self.shard.activeSanctions(of: person, in: channel.id)
    }

    /// Looks at what holds now, and does what follows from it.
    func reviewSanctions() {
        guard self.session.state == .open, let identity = self.session.identity else { return }
        let activeSanctions = self.activeSanctions(of: identity.user, identity.clientID, in: identity.channel)
        guard self.session.isSanctioned || !activeSanctions.isClear else { return }
        let change = self.session.stands(activeSanctions)
        self.shard.noteSanctioned(self)
        if let ban = change.channelBan {
            self.expel(.banned, reason: RequestError.banned(ban).text)
            return
        }
        for (room, ban) in change.roomBans.sorted(by: { $0.key.text < $1.key.text }) { self.banned(from: room, ban) }
        if self.leaveBannedRooms() { self.forgetToken() }
        for mute in change.muted where !self.isComing(into: mute.key.room) { self.tell(mute) }
        for place in change.unmuted where !self.isComing(into: place.room) { self.tellUnmuted(place.room) }
    }

    /// Before something that a ban or a mute could forbid: one that has ended does not, though its deadline may be late.
    func reviewEndedSanctions() {
        guard let end = self.session.activeSanctions.nextEnd, end <= self.shard.environment.clock() else { return }
        self.reviewSanctions()
    }

    // MARK: Bans

    private func banned(from room: RoomName, _ ban: Sanction) {
        // one that is on its way in is turned back when it arrives
        guard let subscriber = self.subscribers[room] else { return }
        let error = RequestError.banned(ban)
        if !self.wireFormat.hasControlFrames { return self.expel(error.code, reason: error.text) }
        self.forgetToken()
        let wasTold = self.takeOut(subscriber, error)
        self.leave(room)
        if !wasTold { self.tellRemoved(from: room, error.code, reason: error.text) }
    }

    /// Takes the connection out of a room and tells it why.
    func remove(from room: RoomName, _ code: Code, reason: String) {
        self.session.removed(from: room)
        self.leave(room)
        self.tellRemoved(from: room, code, reason: reason)
    }

    /// The room has let the member in while it was banned from it.
    func banned(from room: RoomName, whileJoining error: RequestError) {
        guard let answered = self.joins.answer(room, .refused(error)) else { return }
        self.session.joinAnswered(room, joined: false)
        self.leave(room)
        self.answerIfComplete(answered.ticket)
        self.onReady?()
    }

    /// Leaves the rooms that a resumed session may not come back into.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    func leaveBannedRooms() -> Bool {
        guard self.session.isSanctioned, let identity = self.session.identity else { return false }
        let banned = self.lingeringRooms.filter { self.session.ban(from: $0) != nil }
        if banned.isEmpty { return false }
        self.lingeringRooms.subtract(banned)
        for room in banned.sorted(by: { $0.text < $1.text }) {
            self.shard.submit(.graceEnded(identity.clientID), to: room, in: identity.channel)
        }
        return true
    }

    // MARK: Kicks

    /// The room's owner has taken the member out: it has got all that came before.
    func kicked(_ kick: KickCommand, from room: RoomName, before end: Cursor) {
        // benign race: it has left
        guard let subscriber = self.subscribers[room] else { return }
        let reason = kick.reason ?? "a moderator has taken you out of this room"
        if !self.wireFormat.hasControlFrames {
            // a line has no code that says what the reason is for
            let line = kick.reason.map { "you were taken out of this room: \($0)" } ?? reason
            return self.expel(.kicked, reason: line)
        }
        self.deliver(to: subscriber, before: end)
        if !self.takeOut(subscriber, RequestError(.kicked, reason, room: room)) {
            self.tellRemoved(from: room, .kicked, reason: reason, by: kick.sender)
        }
    }

    /// - Returns: whether the member is told so in the answer to its subscribe.
    private func takeOut(_ subscriber: Subscriber, _ error: RequestError) -> Bool {
        let room = subscriber.replica.key.room
        self.subscribers.removeValue(forKey: room)
        subscriber.replica.remove(subscriber)
        self.session.removed(from: room)
        self.shard.enqueue(self)
        guard case .held = subscriber.state else { return false }
        return self.joins.revoke(room, error)
    }

    private func tellRemoved(from room: RoomName, _ code: Code, reason: String, by sender: Sender = .broker) {
        self.reply(stamp: self.shard.context.stamp(by: sender)) { $0.removed(from: room, code, reason: reason) }
    }

    // MARK: Mutes

    /// Says of a place that the member comes into that it cannot publish there.
    ///
    /// - Parameter room: `nil`: the channel.
    func tellMutes(in room: RoomName?) {
        guard self.session.isSanctioned, let mute = self.session.activeSanctions.mute(at: ActiveSanctions.Place(room))
        else { return }
        self.tell(mute)
    }

    private func tell(_ mute: Sanction) {
        self.tell("* \(RequestError.muted(mute).text)") {
            $0.muted((room: mute.key.room, reason: mute.reason, untilMilliseconds: mute.expires))
        }
    }

    /// Its subscribe is not answered yet: it is told of its mutes behind the answer.
    private func isComing(into room: RoomName?) -> Bool {
        guard let subscriber = room.flatMap({ self.subscribers[$0] }), case .held = subscriber.state else {
            return false
        }
        return true
    }

    private func tellUnmuted(_ room: RoomName?) {
        self.tell("* you are not muted any more") { $0.unmuted(room: room) }
    }
}
