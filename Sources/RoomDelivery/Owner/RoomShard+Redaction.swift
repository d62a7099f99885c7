import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Redacting messages of rooms that this shard owns.
///
/// In each room one after the other: the next message is looked up when what became of the one before is known, so that
/// none is redacted twice. Looked up is what is committed; then the redaction goes the way of a publish.
extension RoomShard {
    func redact(_ redaction: Redaction, in key: RoomKey) {
        self.redactions[key, default: []].append(redaction)
        if self.redactions[key]?.count == 1 { self.beginRedaction(in: key) }
    }

    private func beginRedaction(in key: RoomKey) {
        guard let redaction = self.redactions[key]?.first else { return }
        self.locate(redaction.message, in: key) { shard, result in
            switch result {
            case .failure(let error):
                shard.endRedaction(in: key, .failure(error))
            case .success(let target) where target.kind == .tombstone:
                let (seq, id) = (target.tombstone.seq, target.tombstone.id)
                shard.endRedaction(in: key, .success(RedactionReceipt(seq: nil, targetSeq: seq, targetID: id)))
            case .success(let target):
                shard.redact(target, in: key)
            }
        }
    }

    private func endRedaction(in key: RoomKey, _ result: Result<RedactionReceipt, RequestError>) {
        let ended = self.redactions[key]?.popFirst()
        if self.redactions[key]?.isEmpty ?? false { self.redactions[key] = nil }
        ended?.completion(result)
        self.beginRedaction(in: key)
    }

    private func redact(_ target: Redaction.Target, in key: RoomKey) {
        guard let redaction = self.redactions[key]?.first, let owned = self.ownedRoom(key) else {
            self.endRedaction(in: key, .failure(Session.unknownChannel))
            return
        }
        let number = self.externalRequests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .moderated(.redacted(let receipt)): self.endRedaction(in: key, .success(receipt))
            case .refused(let error): self.endRedaction(in: key, .failure(error))
            case .acknowledged, .history, .kicked, .located, .moderated: return
            }
        }
        let command = RedactCommand(
            origin: self.origin(number),
            sender: redaction.sender,
            reason: redaction.reason,
            epoch: target.epoch,
            tombstone: target.tombstone
        )
        self.accept(.redact(command), in: owned)
    }

    // MARK: Looking up

    private typealias Located = @Sendable (RoomShard, Result<Redaction.Target, RequestError>) -> Void

    /// Looks a message up behind all that came before.
    private func locate(_ message: MessageReference, in key: RoomKey, completion: @escaping Located) {
        guard let owned = self.ownedRoom(key) else { return completion(self, .failure(Session.unknownChannel)) }
        let number = self.externalRequests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .located: self.look(for: message, in: key, completion: completion)
            case .refused(let error): completion(self, .failure(error))
            case .acknowledged, .history, .kicked, .moderated: return
            }
        }
        self.accept(.locate(self.origin(number)), in: owned)
    }

    private func look(for message: MessageReference, in key: RoomKey, completion: @escaping Located) {
        guard let owned = self.owned[key] else { return completion(self, .failure(Session.unknownChannel)) }
        guard let retention = owned.room.history else {
            let target = self.target(message, in: owned)
            return completion(self, target.map { .success($0) } ?? .failure(Room.messageNotFound(in: key.room)))
        }
        guard let log = owned.room.log else { return completion(self, .failure(Self.unreadable(key.room))) }
        let read = TargetRead(room: key, log: log, epoch: owned.room.epoch, retention: retention)
        switch message {
        case .seq(let seq):
            self.read(seq, read, completion: completion)
        case .id(let id):
            self.environment.engine.find(id, in: log) { [ref = self.ref] result in
                ref.post { shard in
                    switch result {
                    case .success(let seq?): shard.read(seq, read, completion: completion)
                    case .success(nil): completion(shard, .failure(Room.messageNotFound(in: key.room)))
                    case .failure(let error): shard.lookFailed(error, read, completion)
                    }
                }
            }
        }
    }

    /// What stays the same while a message is looked up in the store.
    private struct TargetRead: Sendable {
        var room: RoomKey
        var log: LogID
        var epoch: Epoch
        var retention: HistorySettings
    }

    private func read(_ seq: UInt64, _ read: TargetRead, completion: @escaping Located) {
        let query = LogQuery(
            log: read.log,
            retention: read.retention,
            range: .after(seq - min(seq, 1), through: seq),
            maxCount: 1,
            maxBytes: self.limits.historyBytes,
            now: self.environment.clock()
        )
        self.environment.engine.read(query) { [ref = self.ref] result in
            ref.post { shard in
                switch result {
                case .failure(let error):
                    shard.lookFailed(error, read, completion)
                case .success(let page):
                    let target = page.entries.first.flatMap { Redaction.Target($0, of: read.epoch) }
                    let notFound = Room.messageNotFound(in: read.room.room)
                    completion(shard, target.map { .success($0) } ?? .failure(notFound))
                }
            }
        }
    }

    private func lookFailed(_ error: EngineError, _ read: TargetRead, _ completion: Located) {
        if error == .reset { self.reportLost(read.room, read.log) }
        completion(self, .failure(Self.unreadable(read.room.room)))
    }

    private static func unreadable(_ room: RoomName) -> RequestError {
        RequestError(
            .storageUnavailable,
            "the history of this room cannot be read now; redact the message again a little later",
            room: room,
            retryAfterMilliseconds: 1_000
        )
    }

    /// A message of the memory window, which is all that a room without history has.
    private func target(_ message: MessageReference, in owned: OwnedRoom) -> Redaction.Target? {
        let seq: UInt64? =
            switch message {
            case .seq(let seq): seq
            case .id(let id): self.findInWindow(id, of: owned.key)
            }
        guard let seq, let (chunk, index) = owned.window.place(of: seq) else { return nil }
        let frame = chunk.range(ofEntry: index, .jsonLines)
        guard let tail = owned.writer.tail(from: frame.lowerBound, to: frame.upperBound, of: chunk.json),
            let id = PublishWriter.id(ofTail: tail)
        else { return nil }
        return Redaction.Target(LogEntry(chunk.entries[index].kind, seq: seq, id: id, tail: tail), of: owned.room.epoch)
    }

    // MARK: The window

    /// Remembers what was redacted for pages of the log that are being read.
    func noteRedactions(of owned: OwnedRoom, _ outcomes: [EncodedBatch.Outcome]) {
        for case .moderated(_, .redacted(let receipt)) in outcomes {
            owned.redactions.add(receipt, in: owned.room.epoch)
        }
    }

    /// Puts tombstones into the window.
    func redactWindow(of owned: OwnedRoom, _ tombstones: [Tombstone]) -> [ShardDelivery.Redacted] {
        tombstones.map { tombstone in
            guard let (chunk, entry) = owned.window.place(of: tombstone.seq), chunk.entries[entry].kind == .message
            else {
                return ShardDelivery.Redacted(seq: tombstone.seq, chunk: nil)
            }
            var frame = ByteBuffer()
            owned.writer.writeStored(tombstone.tail, into: &frame)
            frame.writeStaticString("\n")
            let redacted = chunk.redacting(entry: entry, with: frame)
            _ = owned.window.replace(with: redacted)
            owned.windowBytes += redacted.size - chunk.size
            self.budget.replaced(chunk, with: redacted)
            return ShardDelivery.Redacted(seq: tombstone.seq, chunk: redacted)
        }
    }
}

extension Redaction.Target {
    /// `nil` for what cannot be redacted: what tells of a redaction.
    fileprivate init?(_ entry: LogEntry, of epoch: Epoch) {
        guard entry.kind != .redaction, let tail = PublishWriter.tombstone(of: entry.tail) else { return nil }
        self.init(kind: entry.kind, epoch: epoch, tombstone: Tombstone(seq: entry.seq, id: entry.id, tail: tail))
    }
}
