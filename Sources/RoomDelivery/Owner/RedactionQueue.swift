import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Redacts messages of the rooms that a shard owns. Confined to the shard's event loop.
///
/// In each room one after the other: the next message is looked up when what became of the one before is known, so that
/// none is redacted twice. Looked up is what is committed; then the redaction goes the way of a publish.
final class RedactionQueue {
    /// What waits for its turn in a room.
    private enum Entry {
        case message(Redaction)
        case author(AuthorRedaction)
    }

    unowned let owner: RoomOwner
    /// The redactions that wait, by room; the first of each room is under way.
    private var waiting: [RoomKey: Deque<Entry>] = [:]

    init(owner: RoomOwner) {
        self.owner = owner
    }

    var context: ShardContext { self.owner.context }

    func redact(_ redaction: Redaction, in key: RoomKey) { self.add(.message(redaction), in: key) }

    func redact(_ redaction: AuthorRedaction, in key: RoomKey) { self.add(.author(redaction), in: key) }

    private func add(_ entry: Entry, in key: RoomKey) {
        self.waiting[key, default: []].append(entry)
        if self.waiting[key]?.count == 1 { self.beginRedaction(in: key) }
    }

    /// What is under way in the room has ended; `beginRedaction` has to follow.
    func endFirst(in key: RoomKey) {
        _ = self.waiting[key]?.popFirst()
        if self.waiting[key]?.isEmpty ?? false { self.waiting[key] = nil }
    }

    func beginRedaction(in key: RoomKey) {
        switch self.waiting[key]?.first {
        case .message(let redaction): self.begin(redaction, in: key)
        case .author(let redaction): self.begin(redaction, in: key)
        case nil: return
        }
    }

    private func begin(_ redaction: Redaction, in key: RoomKey) {
        self.locate(redaction.message, in: key) { queue, result in
            switch result {
            case .failure(let error):
                queue.endRedaction(in: key, .failure(error))
            case .success(let target) where target.kind == .tombstone:
                let (seq, id) = (target.tombstone.seq, target.tombstone.id)
                let receipt = RedactionReceipt(seq: nil, targetSeq: seq, targetID: id)
                queue.endRedaction(in: key, .success(.redacted(receipt)))
            case .success(let target):
                queue.redact(target, in: key)
            }
        }
    }

    private func endRedaction(in key: RoomKey, _ result: Result<ModerationReceipt, RequestError>) {
        let ended = self.waiting[key]?.first
        self.endFirst(in: key)
        if case .message(let redaction)? = ended { redaction.completion(result) }
        self.beginRedaction(in: key)
    }

    private func redact(_ target: Redaction.Target, in key: RoomKey) {
        guard case .message(let redaction)? = self.waiting[key]?.first, let owned = self.owner.room(key) else {
            return self.endRedaction(in: key, .failure(Session.unknownChannel))
        }
        let number = self.owner.requests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .moderated(let receipt): self.endRedaction(in: key, .success(receipt))
            case .located: self.beginRedaction(in: key)
            case .refused(_, let error): self.endRedaction(in: key, .failure(error))
            default: return
            }
        }
        let command = RedactCommand(
            origin: self.owner.origin(number),
            sender: redaction.sender,
            reason: redaction.reason,
            epoch: target.epoch,
            newest: target.newest,
            tombstone: target.tombstone
        )
        self.owner.take(.redact(command), in: owned)
    }

    // MARK: Looking up

    /// - Parameter completion: called once on this loop.
    func findAuthor(
        of message: MessageReference,
        in key: RoomKey,
        completion: @escaping @Sendable (AffectedMember?) -> Void
    ) {
        self.locate(message, in: key) { _, result in
            let target = try? result.get()
            var author = target.flatMap { PublishWriter.author(ofTail: $0.tombstone.tail) }.map { AffectedMember($0) }
            if let user = target?.user { author?.user = user }
            completion(author)
        }
    }

    private typealias Located = @Sendable (RedactionQueue, Result<Redaction.Target, RequestError>) -> Void

    /// Looks a message up behind all that came before.
    private func locate(_ message: MessageReference, in key: RoomKey, completion: @escaping Located) {
        self.locate(key) { queue, error in
            if let error { return completion(queue, .failure(error)) }
            queue.look(for: message, in: key, completion: completion)
        }
    }

    /// Waits until the room has all that came before.
    func locate(_ key: RoomKey, completion: @escaping (RedactionQueue, RequestError?) -> Void) {
        guard let owned = self.owner.room(key) else { return completion(self, Session.unknownChannel) }
        let number = self.owner.requests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .located: completion(self, nil)
            case .refused(_, let error): completion(self, error)
            default: return
            }
        }
        self.owner.take(.locate(self.owner.origin(number)), in: owned)
    }

    private func look(for message: MessageReference, in key: RoomKey, completion: @escaping Located) {
        guard let owned = self.owner.rooms[key] else { return completion(self, .failure(Session.unknownChannel)) }
        let view = owned.order.view
        guard let retention = view.history else {
            let target = self.target(message, in: owned)
            return completion(self, target.map { .success($0) } ?? .failure(Room.messageNotFound(in: key.room)))
        }
        guard let log = view.log else { return completion(self, .failure(Self.unreadable(key.room))) }
        let read = TargetRead(room: key, log: log, place: view.position, retention: retention)
        switch message {
        case .seq(let seq):
            self.read(seq, read, completion: completion)
        case .id(let id):
            self.context.reader.find(id, in: log) { [ref = self.context.ref] result in
                ref.post { shard in
                    let queue = shard.owner.redactions
                    switch result {
                    case .success(let seq?): queue.read(seq, read, completion: completion)
                    case .success(nil): completion(queue, .failure(Room.messageNotFound(in: key.room)))
                    case .failure(let error): queue.lookFailed(error, read, completion)
                    }
                }
            }
        }
    }

    /// The part of a redaction that stays the same while its message is looked up in the store.
    private struct TargetRead: Sendable {
        var room: RoomKey
        var log: LogID
        /// The room's newest message when the read begins.
        var place: Position
        var retention: HistorySettings
    }

    private func read(_ seq: UInt64, _ read: TargetRead, completion: @escaping Located) {
        let query = LogQuery(
            log: read.log,
            retention: read.retention,
            range: .after(seq - min(seq, 1), through: seq),
            maxCount: 1,
            maxBytes: self.context.limits.historyBytes,
            now: self.context.environment.clock(),
            asker: .broker
        )
        self.context.reader.read(query) { [ref = self.context.ref] result in
            ref.post { shard in
                let queue = shard.owner.redactions
                switch result {
                case .failure(let error):
                    queue.lookFailed(error, read, completion)
                case .success(let page):
                    let target = page.entries.first.flatMap { Redaction.Target($0, at: read.place) }
                    let notFound = Room.messageNotFound(in: read.room.room)
                    completion(queue, target.map { .success($0) } ?? .failure(notFound))
                }
            }
        }
    }

    private func lookFailed(_ error: EngineError, _ read: TargetRead, _ completion: Located) {
        completion(self, .failure(self.failure(error, read.room, read.log)))
    }

    /// Why the room's history could not be read.
    func failure(_ error: EngineError, _ room: RoomKey, _ log: LogID) -> RequestError {
        if error == .reset { self.context.report(.lost, of: room, log) }
        return Self.unreadable(room.room)
    }

    static func unreadable(_ room: RoomName) -> RequestError {
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
            case .id(let id): owned.find(id)
            }
        let entry = seq.flatMap { owned.logEntry($0) }
        return entry.flatMap { Redaction.Target($0, at: owned.order.view.position) }
    }
}

extension Redaction.Target {
    /// `nil` for what cannot be redacted: what tells of a redaction.
    init?(_ entry: LogEntry, at place: Position) {
        guard let epoch = place.epoch, entry.kind.isMessage, let tail = PublishWriter.tombstone(of: entry.tail)
        else { return nil }
        let text = PublishWriter.text(ofTail: entry.tail).map { TextMark(of: $0) }
        let tombstone = Tombstone(seq: entry.seq, id: entry.id, tail: tail, text: text)
        self.init(kind: entry.kind, epoch: epoch, newest: place.seq, tombstone: tombstone, user: entry.user)
    }
}
