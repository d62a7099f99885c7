import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// What a member with the permission to moderate does to a room.
extension Connection {
    func moderate(_ request: ModerationRequest, callback: Int64?) -> Handling {
        if self.session.isSanctioned { self.reviewEndedSanctions() }
        switch self.session.moderateReceived(request, callback: callback) {
        case .wait: return .wait
        case .closed: return .done
        case .refused(let error):
            self.refuse(error)
            return .done
        case .admitted: break
        }
        if let error = self.actRefusal() {
            self.session.queryAnswered()
            self.refuse(error.answering(callback))
            return .done
        }
        guard let channel = self.session.identity?.channel.id,
            let moderator = self.session.moderator(address: self.address),
            let moderationService = self.shard.moderationService
        else { return .done }
        self.awaited += 1
        // the rooms have what was published before they hear of the act
        self.shard.flushOutbox()
        let (ref, number) = (self.shard.ref, self.ref.number)
        moderationService.perform(request.act, in: RoomKey(channel: channel, room: request.room), by: moderator) {
            result in
            ref.post { $0.connections[number]?.moderated(result, callback: callback) }
        }
        return .done
    }

    /// Why the member cannot act just now; `nil` where it can. Each act costs the control file a synced write, so it has a
    /// rate of its own beside that of what the connection publishes.
    private func actRefusal() -> RequestError? {
        if let error = self.rateRefusal() { return error }
        let now = self.shard.now.uptimeNanoseconds
        var bucket =
            self.actBucket ?? TokenBucket(perSecond: Self.actsPerSecond, burst: Self.actsAtOnce, now: now)
        defer { self.actBucket = bucket }
        return bucket.take(now: now).map { wait in
            RequestError(
                .rateLimited,
                "more than \(Self.actsPerSecond) moderation actions a second; wait before the next one",
                retryAfterMilliseconds: wait
            )
        }
    }

    private static let actsPerSecond = 10
    /// Who meets a raid has many to ban.
    private static let actsAtOnce = 30

    private func moderated(_ result: Result<ModerationReceipt, RequestError>, callback: Int64?) {
        switch result {
        case .failure(let error): self.refuse(error.answering(callback))
        case .success(let receipt):
            if let callback { self.reply { $0.moderated(receipt, callback: callback) } }
        }
        self.queryAnswered()
    }
}

extension FrameWriter {
    fileprivate mutating func moderated(_ receipt: ModerationReceipt, callback: Int64) {
        self.field("callback", callback)
        switch receipt {
        case .done: return
        case .redacted(let redaction):
            if let seq = redaction.seq { self.field("seq", seq) } else { self.field("duplicate", true) }
            self.field("target_seq", redaction.targetSeq)
            self.field("target_id", redaction.targetID)
        case .cleared(let epoch):
            self.field("epoch", epoch.description)
            self.field("seq", 0)
        }
    }
}
