import NIOCore
import RoomCore
import RoomModel

/// A step that waits, until it is made.
struct AuthorRedaction {
    var step: AuthorStep
    /// The sender of the redactions.
    var sender: Sender
    /// Called once, on the loop of the room's owner.
    var completion: (Result<AuthorStep.Receipt, RequestError>) -> Void
}

/// Redacts what somebody has written, in steps of bounded size: other redactions of the room have their turns between them.
/// The messages of a step are redacted in one go, and stored in one or two transactions.
extension RedactionQueue {
    /// The most entries that one step looks at, and the most messages that it redacts.
    private static let read = 512
    private static let redacted = 128

    func begin(_ redaction: AuthorRedaction, in key: RoomKey) {
        self.locate(key) { queue, error in
            if let error { return queue.end(redaction, in: key, .failure(error)) }
            queue.find(redaction, in: key)
        }
    }

    private func end(_ redaction: AuthorRedaction, in key: RoomKey, _ result: Result<AuthorStep.Receipt, RequestError>)
    {
        self.endFirst(in: key)
        redaction.completion(result)
        self.beginRedaction(in: key)
    }

    /// The part of a log that one step has looked at.
    private struct Found: Sendable {
        var targets: [Redaction.Target] = []
        /// Where the step has stopped; `nil`: there is no more.
        var next: UInt64?

        init() {}

        init(_ entries: [LogEntry], hasMore: Bool, by author: MessageAuthor, at place: Position) {
            self.next = hasMore ? entries.last?.seq : nil
            for entry in entries where entry.kind == .message && author.wrote(entry) {
                if self.targets.count == RedactionQueue.redacted {
                    self.next = self.targets.last?.tombstone.seq
                    return
                }
                Redaction.Target(entry, at: place).map { self.targets.append($0) }
            }
        }
    }

    private func find(_ redaction: AuthorRedaction, in key: RoomKey) {
        guard let owned = self.owner.rooms[key] else {
            return self.end(redaction, in: key, .failure(Session.unknownChannel))
        }
        let (step, view) = (redaction.step, owned.order.view)
        let place = view.position
        let end = step.end ?? place
        guard end.epoch == place.epoch, step.after < end.seq else {
            return self.found(Found(), redaction, end: end, in: key)
        }
        guard let retention = view.history else {
            return self.found(self.window(of: owned, step, through: end.seq), redaction, end: end, in: key)
        }
        guard let log = view.log else {
            return self.end(redaction, in: key, .failure(Self.unreadable(key.room)))
        }
        let query = LogQuery(
            log: log,
            retention: retention,
            range: .after(step.after, through: end.seq),
            maxCount: Self.read,
            maxBytes: self.context.limits.historyBytes,
            now: self.context.environment.clock(),
            asker: .broker
        )
        let waiting = NIOLoopBound(redaction, eventLoop: self.context.eventLoop)
        self.context.reader.read(query) { [ref = self.context.ref] result in
            // Here and not on the loop: each message is searched for its author.
            let found = result.map { Found($0.entries, hasMore: $0.hasMore, by: step.author, at: place) }
            ref.post { shard in
                let queue = shard.owner.redactions
                switch found {
                case .success(let found): queue.found(found, waiting.value, end: end, in: key)
                case .failure(let error):
                    queue.end(waiting.value, in: key, .failure(queue.failure(error, key, log)))
                }
            }
        }
    }

    /// A part of the memory window, which is all that a room without history has.
    private func window(of owned: OwnedRoom, _ step: AuthorStep, through end: UInt64) -> Found {
        var entries: [LogEntry] = []
        var bytes = 0
        var seq = max(step.after, owned.window.chunks.first?.seqBefore ?? end)
        while seq < end, entries.count < Self.read, bytes < self.context.limits.historyBytes {
            seq += 1
            guard let entry = owned.logEntry(seq) else { continue }
            entries.append(entry)
            bytes += entry.tail.readableBytes
        }
        return Found(entries, hasMore: seq < end, by: step.author, at: owned.order.view.position)
    }

    private func found(_ found: Found, _ redaction: AuthorRedaction, end: Position, in key: RoomKey) {
        let isDone = redaction.step.isDryRun || found.targets.isEmpty
        guard !isDone else {
            let receipt = AuthorStep.Receipt(count: found.targets.count, next: found.next, end: end)
            return self.end(redaction, in: key, .success(receipt))
        }
        guard let owned = self.owner.room(key) else {
            return self.end(redaction, in: key, .failure(Session.unknownChannel))
        }
        let tally = Tally(found.targets.count)
        for (index, target) in found.targets.enumerated() {
            let number = self.owner.requests.add(key.channel) { [unowned self] answer in
                guard tally.isLast(answer) else { return }
                // Where another node has redacted something meanwhile, the rest is looked up again.
                let next = tally.isToBeRepeated ? redaction.step.after : found.next
                let receipt = AuthorStep.Receipt(count: tally.redacted, next: next, end: end)
                let result: Result<AuthorStep.Receipt, RequestError> =
                    if let error = tally.error { .failure(error) } else { .success(receipt) }
                self.end(redaction, in: key, result)
            }
            let command = RedactCommand(
                origin: self.owner.origin(number),
                sender: redaction.sender,
                reason: redaction.step.reason,
                epoch: target.epoch,
                // Of a broker alone all redactions go through this queue. Where others redact, too, those of this step may stand in between.
                newest: self.context.environment.ordering.isShared ? target.newest + UInt64(index) : .max,
                tombstone: target.tombstone
            )
            self.owner.take(.redact(command), in: owned)
        }
    }
}

/// The answers to the redactions of one step.
private final class Tally {
    private var missing: Int
    private(set) var redacted = 0
    private(set) var isToBeRepeated = false
    private(set) var error: RequestError?

    init(_ count: Int) {
        self.missing = count
    }

    /// Whether no other answer follows.
    func isLast(_ answer: RoomAnswer.Content) -> Bool {
        switch answer {
        case .moderated(.redacted): self.redacted += 1
        case .located: self.isToBeRepeated = true
        case .refused(_, let error): self.error = error
        default: return false
        }
        self.missing -= 1
        return self.missing == 0
    }
}
