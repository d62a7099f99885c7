import RoomModel

/// How each command changes the room, and what it adds to the batch: entries for all, answers for some.
extension Room {
    mutating func take(_ command: RoomCommand, into batch: inout RoomBatch) {
        switch command {
        case .publish(let publish): self.publish(publish, into: &batch)
        case .join(let join): self.join(join, into: &batch)
        case .leave(let id, let connection): self.leave(id, connection, into: &batch)
        case .linger(let id, let connection, let newest):
            self.linger(id, connection, newest: newest, into: &batch)
        case .graceEnded(let id): self.graceEnded(id, into: &batch)
        case .update(let sender): self.update(sender, into: &batch)
        case .rules(let rules): self.adopt(rules)
        // `enqueue` has it taken on at once
        case .settings: return
        case .rename(let rename): self.rename(rename, into: &batch)
        case .members(let origin):
            batch.answer(RoomAnswer(to: origin.connection, .members(origin, self.memberList())))
        case .history(let origin, let request): batch.answer(self.history(origin, request))
        case .locate(let origin): batch.answer(RoomAnswer(to: origin.connection, .located))
        // `advance` has it done between two batches
        case .clear: return
        default: command.operation?.take(in: &self, into: &batch)
        }
    }

    mutating func take(_ followUp: RoomFollowUp, into batch: inout RoomBatch) {
        switch followUp {
        case .tellCleared(let clear): self.tellCleared(clear, into: &batch)
        case .answer(let answer): batch.answer(answer)
        case .logReread(let isNewEpoch):
            batch.answer(RoomAnswer(to: nil, .logReread(isNewEpoch: isNewEpoch, seq: self.lastSeq)))
            if isNewEpoch { self.showMembers(into: &batch) }
        case .showMembers: self.showMembers(into: &batch)
        }
    }

    /// The answer to a command that only asks, as of now.
    ///
    /// - Returns: `nil` for any other command, and where the log has to be opened before.
    package func answer(to question: RoomCommand) -> RoomAnswer? {
        let needsLog = self.hasHistory && self.log == nil
        switch question {
        case .members(let origin):
            var room = self
            return RoomAnswer(to: origin.connection, .members(origin, room.memberList()))
        case .history(let origin, let request): return needsLog ? nil : self.history(origin, request)
        case .locate(let origin): return needsLog ? nil : RoomAnswer(to: origin.connection, .located)
        default: return nil
        }
    }

    mutating func memberList() -> MemberSnapshot {
        self.members.list(limit: self.settings.membersListed, maxBytes: self.settings.memberListBytes)
    }

    /// Sends the list to all whom the room shows it as an entry: its bytes are the same for all of them.
    private mutating func showMembers(into batch: inout RoomBatch) {
        guard let audience = self.presenceAudience else { return }
        batch.append(.members(self.memberList()), by: .broker, for: audience)
    }

    private func history(_ origin: Origin, _ request: HistoryRequest) -> RoomAnswer {
        guard self.hasHistory else {
            return .refused(origin, RequestError(.historyOff, "this room keeps no history", callback: origin.callback))
        }
        let read = HistoryRead(
            origin: origin,
            room: self.key,
            request: request,
            epoch: self.epoch,
            seq: self.lastSeq,
            log: self.log,
            retention: self.settings.history
        )
        return RoomAnswer(to: origin.connection, .history(read))
    }

    private mutating func tellCleared(_ clear: ClearCommand, into batch: inout RoomBatch) {
        let cleared = RoomCleared(stamp: batch.stamp(clear.sender), epoch: self.epoch)
        batch.clear = cleared.stamp.id
        batch.answer(RoomAnswer(to: nil, .cleared(cleared)))
        self.showMembers(into: &batch)
        batch.answer(RoomAnswer(to: clear.origin.connection, .moderated(.cleared(self.epoch))))
    }

    // MARK: Messages

    private mutating func publish(_ publish: PublishCommand, into batch: inout RoomBatch) {
        var key: PublishKey?
        if !publish.isEphemeral, let id = publish.messageID {
            let digest = publish.erasedText ?? StableHash.of(publish.message)
            // what is in the room already is answered as it was, whatever the rules are now
            if let original = self.keys[id] {
                batch.answer(self.answerRepeat(publish, id, digest: digest, of: original))
                return
            }
            key = PublishKey(id: id, digest: digest)
        }
        if let error = self.refusal(of: publish.author, isEphemeral: publish.isEphemeral, in: batch.turn) {
            batch.answer(.refused(publish.origin, publish.refused(error, in: self.key.room)))
            return
        }
        let stamp = batch.stamp(publish.sender)
        if !publish.isEphemeral {
            self.lastSeq += 1
            if let key { self.keys.insert(key, seq: self.lastSeq, stamp, at: batch.turn.steadySecond) }
            if self.hasHistory {
                batch.needsCommit = true
                batch.stores(publish.author)
            }
        }
        let seq = publish.isEphemeral ? nil : self.lastSeq
        batch.entries.append(
            RoomEntry(
                content: .message(publish.message),
                stamp: stamp,
                seq: seq ?? 0,
                key: key,
                user: seq == nil ? nil : batch.unsaidUser(of: publish),
                audience: Audience(excluded: publish.echoes ? nil : publish.origin.connection)
            )
        )
        // who wants no answer hears of a commit that fails
        guard publish.origin.callback != nil || seq != nil && self.hasHistory else { return }
        let acknowledgement = Acknowledgement(
            origin: publish.origin,
            messageID: publish.messageID,
            stamp: stamp,
            seq: seq
        )
        batch.answer(RoomAnswer(to: publish.origin.connection, .acknowledged(acknowledgement)))
    }

    private func answerRepeat(
        _ publish: PublishCommand,
        _ id: UniqueID,
        digest: UInt64,
        of original: PublishKeys.Original
    ) -> RoomAnswer {
        guard original.digest == digest else {
            let error = RequestError(
                .messageIDConflict,
                "this message_id was already used in this room for another message; use a new UUID for each message"
            )
            return .refused(publish.origin, publish.refused(error, in: self.key.room))
        }
        let acknowledgement = Acknowledgement(
            origin: publish.origin,
            messageID: id,
            stamp: original.stamp,
            seq: original.seq,
            isDuplicate: true
        )
        return RoomAnswer(to: publish.origin.connection, .acknowledged(acknowledgement))
    }

    // MARK: Members

    private mutating func join(_ join: JoinCommand, into batch: inout RoomBatch) {
        guard let admission = self.admission(of: join, into: &batch) else { return }
        batch.answer(RoomAnswer(to: join.connection, .joined(admission)))
    }

    /// Lets a member in.
    ///
    /// - Returns: the answer, without the list of members; `nil` where it was refused, or nobody waits for one.
    mutating func admission(of join: JoinCommand, into batch: inout RoomBatch) -> Admission? {
        let isInRoom = self.members[join.clientID]?.connection == join.connection
        if join.isResync {
            // benign race: it left while it asked
            guard isInRoom else { return nil }
        } else if join.isRepeat, !isInRoom {
            let error = MemberRemoval(reason: nil, sender: .broker).error(in: self.key.room)
            batch.answer(RoomAnswer(to: join.connection, .joinRefused(join, error)))
            return nil
        } else if let error = self.admit(join, into: &batch) {
            batch.answer(RoomAnswer(to: join.connection, .joinRefused(join, error)))
            return nil
        }
        let asks = self.asksPresence(join)
        return Admission(
            join: join,
            grant: JoinGrant(epoch: self.epoch, seq: self.lastSeq),
            asksPresence: asks,
            showsMembers: self.settings.presence.isShown(asks: asks),
            isRenewal: isInRoom && !join.isResync
        )
    }

    private mutating func admit(_ join: JoinCommand, into batch: inout RoomBatch) -> RequestError? {
        let earlier = self.members[join.clientID]
        if let earlier, earlier.connection != join.connection, join.resumes < earlier.resumes {
            return RequestError(.replaced, "this session was resumed on another connection", room: self.key.room)
        }
        let limit = self.memberLimit(for: join)
        if earlier == nil, self.members.count >= limit {
            return RequestError(
                .tooManyMembers,
                "the room is full, its maximum is \(limit) \(limit == 1 ? "member" : "members"); try again later",
                room: self.key.room
            )
        }
        if earlier == nil, self.members.isEmpty, !batch.turn.hasPlace {
            return RequestError(
                .tooManyRooms,
                "the channel has reached its limit of \(self.settings.roomLimit) rooms with members",
                room: self.key.room
            )
        }
        guard self.hasPlace(for: join.member, as: join.clientID) else {
            return RequestError(
                .tooManyMembers,
                "the members of the room take so much client_data that there is no place for yours: come with less",
                room: self.key.room
            )
        }
        let asks = self.asksPresence(join)
        self.members.set(
            Member(
                sender: join.member,
                connection: join.connection,
                wireFormat: join.wireFormat,
                asksPresence: asks,
                resumes: join.resumes
            ),
            for: join.clientID
        )
        if let earlier, earlier.connection == join.connection {
            self.subscribers.asksChanged(from: earlier.asksPresence, to: asks)
        } else {
            if let earlier, let connection = earlier.connection { self.detach(connection, earlier, into: &batch) }
            self.subscribers.add(join.connection, join.wireFormat, asks: asks)
            batch.formats.insert(join.wireFormat)
        }
        switch earlier {
        case .none: self.tell(.join, join.member, into: &batch)
        case .some(let member) where member.sender != join.member: self.tell(.update, join.member, into: &batch)
        case .some: break
        }
        return nil
    }

    private mutating func leave(_ id: ClientID, _ connection: ConnectionRef, into batch: inout RoomBatch) {
        // benign race: another connection has taken the session over
        guard let member = self.members[id], member.connection == connection else { return }
        self.detach(connection, member, into: &batch)
        self.remove(id, into: &batch)
    }

    private mutating func linger(
        _ id: ClientID,
        _ connection: ConnectionRef,
        newest: Sender?,
        into batch: inout RoomBatch
    ) {
        guard self.members[id]?.connection == connection else { return }
        if let newest { self.update(newest, into: &batch) }
        guard let member = self.members[id] else { return }
        var lingering = member
        lingering.connection = nil
        self.members.set(lingering, for: id)
        self.detach(connection, member, into: &batch)
    }

    private mutating func detach(_ connection: ConnectionRef, _ member: Member, into batch: inout RoomBatch) {
        self.subscribers.remove(connection, member.wireFormat, asks: member.asksPresence)
        batch.answer(RoomAnswer(to: connection, .detached))
    }

    private mutating func graceEnded(_ id: ClientID, into batch: inout RoomBatch) {
        // benign race: it has come back
        guard let member = self.members[id], member.connection == nil else { return }
        self.remove(id, into: &batch)
    }

    mutating func remove(_ id: ClientID, into batch: inout RoomBatch) {
        guard let member = self.members.remove(id) else { return }
        self.tell(.leave, member.sender, excluding: member.connection, into: &batch)
    }

    /// Where nobody is shown the list, it may be as long as it likes.
    private func hasPlace(for sender: Sender, as id: ClientID) -> Bool {
        self.presenceAudience == nil
            || self.members.hasPlace(for: sender, as: id, maxBytes: self.settings.memberListBytes)
    }

    private mutating func update(_ sender: Sender, into batch: inout RoomBatch) {
        // where the list has no place for its new data, the room goes on showing it as it was
        guard let id = sender.clientID, var member = self.members[id], self.hasPlace(for: sender, as: id) else {
            return
        }
        member.sender = sender
        self.members.set(member, for: id)
        self.tell(.update, sender, into: &batch)
    }

    /// The name is the member's own; that everybody reads of it is a message, as the room's rules go.
    private mutating func rename(_ rename: RenameCommand, into batch: inout RoomBatch) {
        self.update(rename.sender, into: &batch)
        if let error = self.refusal(of: rename.author, isEphemeral: false, in: batch.turn) {
            batch.answer(.refused(rename.origin, error))
        } else {
            batch.append(.named(rename.name), by: rename.sender)
        }
    }

    private func tell(
        _ event: PresenceChange,
        _ member: Sender,
        excluding connection: ConnectionRef? = nil,
        into batch: inout RoomBatch
    ) {
        guard var audience = self.presenceAudience else { return }
        if event == .update, batch.replaceUpdate(of: member) { return }
        audience.excluded = connection
        batch.append(.presence(event, member), by: member, for: audience)
        batch.presenceTold(event, of: member)
    }
}
