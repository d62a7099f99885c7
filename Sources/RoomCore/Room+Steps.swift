import RoomModel

extension Room {
    /// One command becomes its steps, at its place in the order.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    mutating func take(_ command: RoomCommand, at now: () -> UInt64, into batch: inout RoomBatch) {
        switch command {
        case .publish(let publish): self.publish(publish, at: now, into: &batch)
        case .join(let join): self.join(join, into: &batch)
        case .leave(let id, let connection): self.leave(id, connection, into: &batch)
        case .linger(let id, let connection): self.linger(id, connection, into: &batch)
        case .graceEnded(let id): self.graceEnded(id, into: &batch)
        case .update(let sender): self.update(sender, into: &batch)
        case .kick(let kick): self.kick(kick, into: &batch)
        case .notice(let notice, let sender): batch.steps.append(.notice(notice, sender))
        case .rules(let rules): self.adopt(rules)
        case .rename(let rename): self.rename(rename, at: now, into: &batch)
        case .members(let origin):
            batch.steps.append(.members(origin, self.memberList))
        case .history(let origin, let request):
            batch.steps.append(self.history(origin, request))
        case .locate(let origin): batch.steps.append(.located(origin))
        case .redact(let redaction): self.redact(redaction, into: &batch)
        // `advance` has it done between two batches
        case .clear: return
        case .tellCleared(let clear):
            batch.steps.append(.cleared(clear, self.epoch, snapshot: self.isObservable ? self.memberList : nil))
        case .refuse(let origin, let error):
            batch.steps.append(.refuse(origin, error))
        case .refuseJoin(let join, let error):
            batch.steps.append(.refuseJoin(join, error))
        case .logReread(let isNewEpoch):
            batch.steps.append(
                .logReread(
                    isNewEpoch: isNewEpoch,
                    seq: self.lastSeq,
                    snapshot: self.isObservable ? self.memberList : nil
                )
            )
        case .showMembers:
            if self.isObservable { batch.steps.append(.showMembers(self.memberList)) }
        }
    }

    package var membersByJoining: [Member] { self.members.values.sorted { $0.number < $1.number } }

    /// What presence lists: nothing once there are more than the limit (protocol §3: above it count only).
    private var memberList: MemberSnapshot {
        let isListed = self.members.count <= self.memberListLimit
        let members = isListed ? self.membersByJoining : []
        return MemberSnapshot(members: members.map(\.sender), count: self.members.count)
    }

    private func history(_ origin: Origin, _ request: HistoryRequest) -> RoomStep {
        guard self.hasHistory else {
            return .refuse(origin, RequestError(.historyOff, "this room keeps no history", callback: origin.callback))
        }
        return .history(origin, request, seq: self.lastSeq)
    }

    // MARK: Messages

    private mutating func publish(_ publish: PublishCommand, at now: () -> UInt64, into batch: inout RoomBatch) {
        if publish.isEphemeral {
            if let error = self.refusal(of: publish.author, isEphemeral: publish.isEphemeral, at: now) {
                batch.steps.append(.refuse(publish.origin, publish.refused(error, in: self.key.room)))
                return
            }
            batch.steps.append(.message(publish, seq: nil))
            return
        }
        let key = publish.messageID.map { PublishKey(id: $0, digest: StableHash.of(publish.message)) }
        // what is in the room already is answered as it was, whatever the rules are now
        if let key, let original = self.keys[key.id] {
            batch.steps.append(self.answerRepeat(publish, digest: key.digest, of: original))
            return
        }
        if let error = self.refusal(of: publish.author, isEphemeral: publish.isEphemeral, at: now) {
            batch.steps.append(.refuse(publish.origin, publish.refused(error, in: self.key.room)))
            return
        }
        if let key { self.keys.insert(key, seq: self.lastSeq + 1) }
        self.lastSeq += 1
        batch.steps.append(.message(publish, seq: self.lastSeq))
        batch.needsCommit = self.hasHistory
    }

    private func answerRepeat(
        _ publish: PublishCommand,
        digest: UInt64,
        of original: PublishKeys.Original
    ) -> RoomStep {
        guard original.digest == digest else {
            let error = RequestError(
                .messageIDConflict,
                "this message_id was already used in this room for another message; use a new UUID for each message"
            )
            return .refuse(publish.origin, publish.refused(error, in: self.key.room))
        }
        return .duplicate(publish)
    }

    // MARK: Members

    private mutating func join(_ join: JoinCommand, into batch: inout RoomBatch) {
        if join.isResync {
            // benign race: it left while it asked
            guard self.members[join.clientID]?.connection == join.connection else { return }
        } else if let error = self.admit(join, into: &batch) {
            batch.steps.append(.refuseJoin(join, error))
            return
        }
        let snapshot = self.isObservable && join.wireFormat == .jsonLines ? self.memberList : nil
        batch.steps.append(.attach(join, seq: self.lastSeq, snapshot: snapshot))
    }

    private mutating func admit(_ join: JoinCommand, into batch: inout RoomBatch) -> RequestError? {
        let earlier = self.members[join.clientID]
        if earlier == nil, self.members.count >= self.memberLimit(for: join) {
            return RequestError(
                .tooManyMembers,
                "the room has \(self.members.count) members, its maximum; try again later",
                room: self.key.room
            )
        }
        if earlier == nil, self.members.isEmpty, !self.channel.usage.roomBecameActive(limit: self.roomLimit) {
            return RequestError(
                .tooManyRooms,
                "the channel has reached its limit of \(self.roomLimit) rooms with members",
                room: self.key.room
            )
        }
        self.joins += 1
        self.members[join.clientID] = Member(
            sender: join.member,
            connection: join.connection,
            wireFormat: join.wireFormat,
            number: earlier?.number ?? self.joins
        )
        if let connection = earlier?.connection {
            batch.steps.append(.detach(connection, earlier?.wireFormat ?? .jsonLines))
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
        batch.steps.append(.detach(connection, member.wireFormat))
        self.remove(id, into: &batch)
    }

    private mutating func linger(_ id: ClientID, _ connection: ConnectionRef, into batch: inout RoomBatch) {
        guard let member = self.members[id], member.connection == connection else { return }
        self.members[id]?.connection = nil
        batch.steps.append(.detach(connection, member.wireFormat))
    }

    private mutating func graceEnded(_ id: ClientID, into batch: inout RoomBatch) {
        // benign race: it has come back
        guard let member = self.members[id], member.connection == nil else { return }
        self.remove(id, into: &batch)
    }

    mutating func remove(_ id: ClientID, into batch: inout RoomBatch) {
        guard let member = self.members.removeValue(forKey: id) else { return }
        if self.members.isEmpty { self.channel.usage.roomBecameDormant() }
        self.tell(.leave, member.sender, excluding: member.connection, into: &batch)
    }

    private mutating func update(_ sender: Sender, into batch: inout RoomBatch) {
        guard let id = sender.clientID, self.members[id] != nil else { return }
        self.members[id]?.sender = sender
        self.tell(.update, sender, into: &batch)
    }

    /// The name is the member's own; that everybody reads of it is a message, as the room's rules go.
    private mutating func rename(_ rename: RenameCommand, at now: () -> UInt64, into batch: inout RoomBatch) {
        self.update(rename.sender, into: &batch)
        if let error = self.refusal(of: rename.author, isEphemeral: false, at: now) {
            batch.steps.append(.refuse(rename.origin, error))
        } else {
            batch.steps.append(.named(rename.sender, name: rename.name))
        }
    }

    private func tell(
        _ event: PresenceChange,
        _ member: Sender,
        excluding connection: ConnectionRef? = nil,
        into batch: inout RoomBatch
    ) {
        guard self.isObservable else { return }
        batch.steps.append(.presence(event, member, excluding: connection))
    }
}
