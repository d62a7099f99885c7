package import RoomModel

/// The acts of a member as a moderator.
extension Session {
    /// Why the member may not come into the room, or ask about it.
    package func ban(from room: RoomName) -> RequestError? {
        guard self.isSanctioned, var error = self.activeSanctions.ban(from: room).map({ RequestError.banned($0) })
        else {
            return nil
        }
        error.room = room
        return error
    }

    /// Why the member may not publish into the room, as its bans and mutes go.
    package func sanction(onPublishingInto room: RoomName) -> RequestError? {
        self.ban(from: room) ?? self.activeSanctions.mute(in: room).map { .muted($0) }
    }

    /// Why the member may not show itself otherwise than it does: a room where it is muted would be told.
    package var sanctionOnUpdate: RequestError? {
        guard self.isSanctioned else { return nil }
        return self.activeSanctions.mute { self.rooms[$0] != nil }.map { .mutedElsewhere($0) }
    }

    /// Bans and mutes, or who the member is, have changed.
    ///
    /// - Returns: what follows from it; the rooms are not left yet.
    package mutating func changeSanctions(to activeSanctions: ActiveSanctions) -> ActiveSanctionsChange {
        let before = self.activeSanctions
        self.activeSanctions = activeSanctions
        var change = activeSanctions.change(from: before, rooms: self.rooms.keys)
        // of a room that it comes into later it is told then
        change.mutes.removeAll { !self.isTold(of: $0.scope) }
        return change
    }

    private func isTold(of place: ActiveSanctions.Scope) -> Bool {
        switch place {
        case .channel: true
        case .room(let room): [.joined, .renewing].contains(self.rooms[room])
        }
    }

    /// Acts of moderators: one at a time, and what follows waits for it. The session counts as querying until
    /// `queryAnswered`.
    package mutating func moderateReceived(_ request: ModerationRequest, callback: Int64?) -> Admission {
        if let error = self.refusal(callback) { return .refused(error) }
        guard self.isSettled, !self.isQuerying else { return .wait }
        if let error = self.ban(from: request.room) { return .refused(error.answering(callback)) }
        guard self.permission(for: request.room).moderate else {
            return .refused(RequestError.denied("moderate", request.room).answering(callback))
        }
        if self.isBanOfItself(request.act) {
            let text = "this would ban you yourself, and only somebody else could lift it"
            return .refused(RequestError(.invalidField, text, room: request.room).answering(callback))
        }
        self.isQuerying = true
        return .admitted
    }

    private func isBanOfItself(_ act: ModerationAct) -> Bool {
        switch act {
        case .impose(.ban, .user(let user), _, _), .banAndRedact(.user(let user), _, _):
            self.identity.user?.utf8.elementsEqual(user.utf8) ?? false
        case .impose(.ban, .client(let client), _, _), .banAndRedact(.client(let client), _, _):
            client == self.identity.clientID
        default: false
        }
    }

    /// This member's identity in the audit log and in the frames that tell of its acts.
    ///
    /// - Parameter address: of its connection.
    package func moderator(address: IPAddress?) -> Moderator {
        Moderator(
            actor: "member:\(self.identity.user ?? self.identity.clientID.text)",
            origin: address?.description ?? "unix",
            sender: self.identity.sender,
            person: self.person(address: address)
        )
    }

    /// - Parameter address: of its connection.
    package func person(address: IPAddress?) -> SanctionedPerson {
        SanctionedPerson(user: self.identity.user, client: self.identity.clientID, address: address)
    }
}
