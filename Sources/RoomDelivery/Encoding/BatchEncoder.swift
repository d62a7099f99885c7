import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Stamps and encodes a batch: the one place where what happens in a room becomes bytes, once for all its subscribers.
struct BatchEncoder {
    private let owned: OwnedRoom
    private let now: Int64
    private var encoded: EncodedBatch
    private var hasText: Bool
    private let showsAuthData: Bool

    /// `now` is in Unix milliseconds.
    static func encode(
        _ batch: RoomBatch,
        of owned: OwnedRoom,
        seqBefore: UInt64,
        now: Int64,
        stamper: inout Stamper,
        entropy: inout Entropy
    ) -> EncodedBatch {
        var encoder = BatchEncoder(owned: owned, now: now, seqBefore: seqBefore)
        encoder.encoded.json.reserveCapacity(Self.estimate(batch))
        for step in batch.steps {
            encoder.encode(step) { sender in
                Stamp(id: stamper.next(now: now, random: entropy.next()), sender: sender)
            }
        }
        owned.room.keys.forget(before: now - PublishKeys.lifetimeMilliseconds)
        return encoder.encoded
    }

    private init(owned: OwnedRoom, now: Int64, seqBefore: UInt64) {
        self.owned = owned
        self.now = now
        self.encoded = EncodedBatch(seqBefore: seqBefore)
        self.hasText = owned.textSubscribers > 0
        self.showsAuthData = owned.room.channel.showsAuthData(in: owned.key.room)
    }

    private static func estimate(_ batch: RoomBatch) -> Int {
        batch.steps.reduce(0) { sum, step in
            switch step {
            case .message(let publish, _):
                sum + publish.message.readableBytes + publish.sender.json.readableBytes + 240
            case .presence(_, let member, _): sum + 2 * member.json.readableBytes + 200
            default: sum
            }
        }
    }

    private mutating func encode(_ step: RoomStep, stamp: (Sender) -> Stamp) {
        switch step {
        case .message(let publish, let seq):
            self.message(publish, seq: seq, stamp: stamp(self.shown(publish.sender)))
        case .duplicate(let publish):
            self.duplicate(publish)
        case .presence(let event, let member, let connection):
            FrameWriter.write(into: &self.encoded.json, stamp: stamp(self.shown(member))) { frame in
                frame.presence(type: event.rawValue, room: self.owned.key.room, member: member)
            }
            self.encoded.endEntry(excluding: connection)
        case .showMembers(let list):
            FrameWriter.write(into: &self.encoded.json, stamp: stamp(.broker)) { frame in
                frame.members(room: self.owned.key.room, list.members, count: list.count)
            }
            self.encoded.endEntry()
        case .named(_, let name):
            guard self.hasText else { return }
            TextLineWriter.joined(name, into: &self.encoded.text)
            self.encoded.endEntry()
        case .attach(let join, let seq, let snapshot):
            if join.wireFormat == .textLines { self.hasText = true }
            self.encoded.outcomes.append(
                .attach(join, seq: seq, snapshot: snapshot, entry: self.encoded.entries.count)
            )
        case .detach(let connection, let wireFormat):
            self.encoded.outcomes.append(.detach(connection, wireFormat))
        case .remove(let connection, let wireFormat, var kick):
            kick.sender = self.shown(kick.sender)
            self.encoded.outcomes.append(.remove(connection, wireFormat, kick, entry: self.encoded.entries.count))
        case .kicked(let origin, let wasMember):
            self.encoded.outcomes.append(.kicked(origin, wasMember: wasMember))
        case .notice(let notice, let sender):
            FrameWriter.write(into: &self.encoded.json, stamp: stamp(self.shown(sender))) { frame in
                frame.notice(notice, room: self.owned.key.room)
            }
            if self.hasText { TextLineWriter.notice(notice, into: &self.encoded.text) }
            self.encoded.endEntry()
        case .refuse(let origin, let error):
            self.encoded.outcomes.append(.refuse(origin, error))
        case .refuseJoin(let join, let error):
            self.encoded.outcomes.append(.refuseJoin(join, error))
        case .members(let origin, let list):
            self.encoded.outcomes.append(.members(origin, list))
        case .history(let origin, let request, let seq):
            self.encoded.outcomes.append(.history(origin, request, seq: seq))
        case .located(let origin):
            self.encoded.outcomes.append(.located(origin))
        case .redaction(let redaction, let seq):
            self.redaction(redaction, seq: seq, stamp: stamp(self.shown(redaction.sender)))
        case .cleared(let clear, let epoch, let snapshot):
            self.cleared(clear, epoch, snapshot, stamp: stamp(self.shown(clear.sender)))
        case .logReread(let isNewEpoch, let seq, let snapshot):
            self.encoded.outcomes.append(.logReread(isNewEpoch: isNewEpoch, seq: seq, snapshot: snapshot))
        }
    }

    private func shown(_ sender: Sender) -> Sender { self.showsAuthData ? sender : sender.withoutAuthData }

    private mutating func message(_ publish: PublishCommand, seq: UInt64?, stamp: Stamp) {
        let tail = self.owned.writer.write(publish.message, stamp: stamp, seq: seq, into: &self.encoded.json)
        if self.hasText, seq != nil {
            TextLineWriter.message(publish.message, from: publish.sender, into: &self.encoded.text)
        }
        self.encoded.endEntry(seq: seq ?? 0, excluding: publish.echoes ? nil : publish.origin.connection)
        if let seq {
            self.encoded.logged.add(count: 1, bytes: publish.message.readableBytes)
            let key = publish.messageID.map { PublishKey(id: $0, digest: StableHash.of(publish.message)) }
            if let key { self.owned.room.keys.stamped(key.id, stamp) }
            if self.owned.hasHistory {
                self.encoded.stored.append(.init(seq: seq, id: stamp.id, key: key, tail: tail))
            }
        } else {
            self.encoded.ephemeral.add(count: 1, bytes: publish.message.readableBytes)
        }
        guard publish.origin.callback != nil || seq != nil && self.owned.hasHistory else { return }
        self.encoded.outcomes.append(
            .acknowledge(
                Acknowledgement(
                    origin: publish.origin,
                    room: self.owned.key.room,
                    messageID: publish.messageID,
                    stamp: stamp,
                    seq: seq
                )
            )
        )
    }

    private mutating func duplicate(_ publish: PublishCommand) {
        guard let id = publish.messageID, let original = self.owned.room.keys[id], let stamp = original.stamp else {
            return
        }
        self.encoded.outcomes.append(
            .acknowledge(
                Acknowledgement(
                    origin: publish.origin,
                    room: self.owned.key.room,
                    messageID: id,
                    stamp: stamp,
                    seq: original.seq,
                    isDuplicate: true
                )
            )
        )
    }

    // MARK: Moderation

    private mutating func redaction(_ redaction: RedactCommand, seq: UInt64, stamp: Stamp) {
        let target = redaction.tombstone
        let tail = self.owned.writer.writeRedaction(
            ofMessage: target.seq,
            target.id,
            reason: redaction.reason,
            stamp: stamp,
            seq: seq,
            into: &self.encoded.json
        )
        self.encoded.endEntry(.redaction, seq: seq)
        self.encoded.tombstones.append(target)
        if self.owned.hasHistory {
            self.encoded.stored.append(.init(kind: .redaction, seq: seq, id: stamp.id, key: nil, tail: tail))
        }
        let receipt = RedactionReceipt(seq: seq, targetSeq: target.seq, targetID: target.id)
        self.encoded.outcomes.append(.moderated(redaction.origin, .redacted(receipt)))
    }

    private mutating func cleared(_ clear: ClearCommand, _ epoch: Epoch, _ snapshot: MemberSnapshot?, stamp: Stamp) {
        var frame = ByteBuffer()
        FrameWriter.write(into: &frame, stamp: stamp) { $0.roomCleared(self.owned.key.room, epoch: epoch) }
        self.encoded.outcomes.append(.cleared(ShardDelivery.Cleared(frame: frame, snapshot: snapshot)))
        self.encoded.outcomes.append(.moderated(clear.origin, .cleared(epoch)))
    }
}
