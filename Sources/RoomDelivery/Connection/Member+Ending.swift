import RoomCore
import RoomModel

/// The end of a session: its rooms are left, or it lingers in them.
extension Member {
    /// Leaves by way of the owners, so that all that was published before is delivered first. A client that can resume
    /// may have been cut off by its own crash: it stays a member for its grace period.
    func leaveInOrder() {
        // not as a list: there may be a thousand, and what is iterated over in turns keeps them as they are now
        let rooms = self.session.rooms.keys
        if self.resumption.token != nil {
            self.resumption.leavesInOrder()
            self.submit(self.lingering, to: rooms)
        } else {
            self.submit(.leave(self.clientID, self.connection.ref), to: rooms)
        }
    }

    /// The session is over: leaves all rooms, or lets them linger where it can be resumed.
    ///
    func end(_ reason: EndReason) {
        self.shard.tell(.disconnected(self.channel.id, self.clientID, reason))
        self.shard.left(self)
        self.countNoPlaces()
        self.connection.writer.endDeliveries()
        self.shard.remove(self.subscriptions.takeAll(), sharing: self.group, share: self.shareLeft)
        if let departure = self.departure.take() {
            // the session is not in these any more
            self.submit(.leave(self.clientID, self.connection.ref), to: departure.rest)
        }
        let rooms = self.session.rooms.keys
        if let token = self.resumption.token {
            let departure = self.submit(self.lingering, to: rooms)
            let session = self.lingeringSession()
            self.shard.linger(session, token: token, for: self.channel.settings.grace, after: departure)
        } else {
            // most have left them before they close
            if !self.session.rooms.isEmpty { self.submit(.leave(self.clientID, self.connection.ref), to: rooms) }
            // nobody may come back any more to where it was to linger
            if self.resumption.isLeaving { self.submit(.graceEnded(self.clientID), to: rooms) }
            self.leaveLingeringRooms()
        }
    }

    private var lingering: RoomCommand {
        let newest = self.untold.isEmpty ? nil : self.session.identity.sender
        return .linger(self.clientID, self.connection.ref, newest: newest)
    }

    private func lingeringSession() -> ResumedSession {
        let identity = self.session.identity
        return ResumedSession(
            channel: identity.channel.id,
            clientID: identity.clientID,
            clientData: identity.clientData,
            user: identity.user,
            address: self.connection.address,
            publishes: self.publishesLeft,
            resumes: self.resumption.resumes,
            rooms: self.resumption.takeRooms() + self.session.rooms.keys
        )
    }

    /// The rooms of a resumed session that were not subscribed again are left.
    func leaveLingeringRooms() {
        let rooms = self.resumption.takeRoomsToLeave()
        guard !rooms.isEmpty else { return }
        self.submit(.graceEnded(self.clientID), to: rooms)
        if self.connection.member === self { self.countPlaces() }
    }

    @discardableResult
    func submit(_ command: RoomCommand, to rooms: some Sequence<RoomName>) -> LongWork {
        self.shard.submit(command, to: rooms, in: self.channel, sharing: self.group, share: self.shareLeft)
    }

    /// The credit that the member has left: what is done for it in turns has no other one.
    var shareLeft: WorkShare { WorkShare(credit: self.connection.share.credit) }

    /// Those whom the member shares its turns with; `nil`: it has its own.
    var group: WorkGroup? {
        let identity = self.session.identity
        return WorkGroup(user: identity.user, in: identity.channel.id, from: self.connection.address)
    }

    /// Nobody can resume the session any more.
    func forgetToken() {
        if let token = self.resumption.takeToken() { self.shard.sessions.forget(token) }
    }
}
