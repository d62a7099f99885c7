import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// The pages that a shard asks of the store for its subscribers. So many at a time; connections take turns, each with one
/// page at a time, however many rooms it reads. Subscribers that want the same page in the same moment share one read
/// of it, and what is encoded of it.
struct PageReads {
    private static let limit = 16
    /// Pages that were read just now.
    private static let kept = 16
    /// That long: a message may be served so much longer than it is kept.
    private static let lifetime = TimeAmount.milliseconds(250)

    /// The range that is read: the messages of a log behind one up to another.
    struct Range: Hashable {
        var log: LogID
        var after: UInt64
        var through: UInt64
    }

    /// A read that is under way, and those who wait for it.
    final class Read {
        var waiting: [Subscriber]

        init(for subscriber: Subscriber) {
            self.waiting = [subscriber]
        }
    }

    /// A page, and those who are still to get it.
    struct Delivery {
        var result: Result<StorePage, EngineError>
        var range: Range
        var subscribers: ArraySlice<Subscriber>
    }

    private struct Kept {
        var range: Range
        var page: StorePage
        var since: NIODeadline
    }

    var turns = ReadTurns<UInt64, Subscriber>(limit: limit)
    private var reading: [Range: Read] = [:]
    private var kept: Deque<Kept> = []
    /// Those who get their page when the loop has looked at its sockets.
    fileprivate var deliveries: Deque<Delivery> = []
    fileprivate var isDeliveryScheduled = false

    /// Pages that are read, or were read just now.
    var count: Int { self.reading.count + self.kept.count }

    mutating func begin(_ read: Read, of range: Range) {
        self.reading[range] = read
    }

    /// Whether somebody has asked for the same: the subscriber gets it with them.
    func join(_ subscriber: Subscriber, _ range: Range) -> Bool {
        guard let read = self.reading[range] else { return false }
        read.waiting.append(subscriber)
        return true
    }

    func page(_ range: Range, at now: NIODeadline) -> StorePage? {
        self.kept.last { $0.range == range && $0.since + Self.lifetime > now }?.page
    }

    mutating func ended(_ read: Read, of range: Range, _ page: StorePage?, at now: NIODeadline) {
        // not where a redaction has come between
        guard self.reading[range] === read else { return }
        self.reading[range] = nil
        guard let page else { return }
        self.kept.append(Kept(range: range, page: page, since: now))
        if self.kept.count > Self.kept { self.kept.removeFirst() }
    }

    /// Messages of the log were redacted: what was read before is for those only who have asked before.
    mutating func redacted(_ log: LogID?) {
        guard let log else { return }
        self.reading = self.reading.filter { $0.key.log != log }
        self.kept.removeAll { $0.range.log == log }
    }
}

extension LocalRooms {
    /// How much of the store a subscriber gets at a time. Messages that the socket does not take are read again later,
    /// so that a slow reader costs no memory.
    private static let pageBytes = 64 * 1024
    /// Subscribers that are given a page before the loop has looked at its sockets.
    private static let givenAtOnce = 16

    /// A subscriber is to get a page of the store. One that waits for a page already asks again if that is not the one.
    func wantsPage(_ subscriber: Subscriber) {
        guard !subscriber.awaitsPage else { return }
        subscriber.awaitsPage = true
        self.pageReads.turns.add(subscriber, of: subscriber.connection.ref.number)
        self.readPages()
    }

    private func readPages() {
        while let (connection, subscriber) = self.pageReads.turns.next() {
            if !self.readPage(for: subscriber, connection) { self.pageReads.turns.ended(connection) }
        }
    }

    /// Reads the next page for a subscriber whose turn it is; the subscriber is held only until the page has come.
    ///
    /// - Returns: whether a read has begun.
    private func readPage(for subscriber: Subscriber, _ connection: UInt64) -> Bool {
        guard subscriber.member.subscriptions.contains(subscriber), subscriber.takeChanges(),
            case .reading(let replay) = subscriber.state, replay.isReading
        else {
            // it has left, or began anew while it waited
            subscriber.awaitsPage = false
            return false
        }
        guard let log = subscriber.replica.log, let history = subscriber.replica.retention else {
            subscriber.awaitsPage = false
            subscriber.logIsLost(to: replay)
            return false
        }
        let range = PageReads.Range(log: log, after: subscriber.lastSeq, through: replay.through)
        if self.pageReads.join(subscriber, range) { return false }
        if let page = self.pageReads.page(range, at: self.context.now) {
            self.giveLater(PageReads.Delivery(result: .success(page), range: range, subscribers: [subscriber]))
            return false
        }
        let read = PageReads.Read(for: subscriber)
        self.pageReads.begin(read, of: range)
        let query = LogQuery(
            log: log,
            retention: history,
            range: .after(range.after, through: range.through),
            newest: range.through,
            maxCount: self.context.limits.historyQuery,
            maxBytes: Self.pageBytes,
            now: self.context.environment.clock(),
            asker: .connection(subscriber.connection.ref)
        )
        let bound = NIOLoopBound(read, eventLoop: self.context.eventLoop)
        self.context.reader.read(query) { [ref = self.context.ref, key = subscriber.replica.key] result in
            ref.post { shard in
                switch result {
                case .success(let page) where page.oldestSeq > range.after + 1:
                    let report = LogReport.trimmed(oldest: page.oldestSeq, hasExpired: page.hasExpired)
                    shard.context.report(report, of: key, log)
                case .failure(.reset): shard.context.report(.lost, of: key, log)
                case .success, .failure: break
                }
                shard.local.pageRead(bound.value, range, result.map { StorePage($0) }, connection)
            }
        }
        return true
    }

    private func pageRead(
        _ read: PageReads.Read,
        _ range: PageReads.Range,
        _ result: Result<StorePage, EngineError>,
        _ connection: UInt64
    ) {
        self.context.tally.counters.storeReads += 1
        self.pageReads.ended(read, of: range, try? result.get(), at: self.context.now)
        self.give(PageReads.Delivery(result: result, range: range, subscribers: read.waiting[...]))
        self.pageReads.turns.ended(connection)
        self.readPages()
    }

    private func give(_ delivery: PageReads.Delivery) {
        var delivery = delivery
        if self.pageReads.deliveries.isEmpty { self.giveSome(of: &delivery, Self.givenAtOnce) }
        self.giveLater(delivery)
    }

    private func giveLater(_ delivery: PageReads.Delivery) {
        guard !delivery.subscribers.isEmpty else { return }
        self.pageReads.deliveries.append(delivery)
        self.scheduleDelivery()
    }

    private func scheduleDelivery() {
        guard !self.pageReads.isDeliveryScheduled, !self.pageReads.deliveries.isEmpty else { return }
        self.pageReads.isDeliveryScheduled = true
        self.context.afterIO(since: self.context.loopTicks) { $0.local.giveWaiting() }
    }

    private func giveWaiting() {
        self.pageReads.isDeliveryScheduled = false
        var left = Self.givenAtOnce
        while left > 0, var delivery = self.pageReads.deliveries.popFirst() {
            let count = min(left, delivery.subscribers.count)
            self.giveSome(of: &delivery, count)
            left -= count
            if !delivery.subscribers.isEmpty { self.pageReads.deliveries.prepend(delivery) }
        }
        self.scheduleDelivery()
    }

    private func giveSome(of delivery: inout PageReads.Delivery, _ count: Int) {
        for subscriber in delivery.subscribers.prefix(count) { subscriber.pageRead(delivery.range, delivery.result) }
        delivery.subscribers.removeFirst(min(count, delivery.subscribers.count))
    }
}
