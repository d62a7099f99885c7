package import RoomModel

/// The publishes of the last ten minutes that had a `message_id`, so that a repeat is answered and not delivered.
///
/// Their age goes by seconds of a clock that nobody sets, `RoomTurn.steadySecond`. Bounded by count too: beyond it the oldest
/// is forgotten early. `bytes` is what the owner of all rooms bounds.
package struct PublishKeys: Equatable {
    package static let lifetimeSeconds: UInt32 = 10 * 60
    /// Forgetting more at once would hold up the room.
    package static let forgottenAtOnce = 2_048

    /// The result of the first publish with a key.
    struct Original: Equatable, Sendable {
        /// `nil` where its log has ended since: in another one the number means another message.
        var seq: UInt64?
        var digest: UInt64
        var stamp: Stamp
    }

    private var table = PublishKeyTable()
    private var senders = PublishKeySenders()
    /// The most of them.
    var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    package var isEmpty: Bool { self.table.count == 0 }
    package var count: Int { self.table.count }
    /// The bytes of memory that they take, about.
    package var bytes: Int { self.table.bytes + self.senders.bytes }
    /// When the newest one came.
    package var newest: UInt32? { self.table.last?.second }

    subscript(key: UniqueID) -> Original? {
        guard let entry = self.table[key] else { return nil }
        return Original(
            seq: entry.seq == 0 ? nil : entry.seq,
            digest: entry.digest,
            stamp: Stamp(id: entry.stamp, sender: self.senders[entry.sender])
        )
    }

    /// In the order of their coming.
    var entries: some Sequence<PublishKeyTable.Entry> { self.table.entries }
    /// When they came (`RoomTurn.steadySecond`).
    package var seconds: Set<UInt32> { Set(self.entries.lazy.map(\.second)) }

    /// - Parameter place: an entry's.
    func sender(at place: UInt32) -> Sender { self.senders[place] }

    /// A publish has got its place in the log, or had got it by then.
    ///
    /// - Parameter seq: 0: its log has ended.
    mutating func insert(_ key: PublishKey, seq: UInt64, _ stamp: Stamp, at second: UInt32) {
        let sender = self.senders.add(stamp.sender)
        let entry = PublishKeyTable.Entry(
            id: key.id,
            digest: key.digest,
            stamp: stamp.id,
            seq: seq,
            sender: sender,
            second: second
        )
        if let replaced = self.table.insert(entry) { self.senders.remove(replaced.sender) }
    }

    /// Forgets the oldest, but only so many at once.
    mutating func forget(before second: UInt32) {
        for _ in 0..<Self.forgottenAtOnce {
            guard let first = self.table.first, first.second < second || self.count > self.capacity
            else { return }
            self.table.removeFirst()
            self.senders.remove(first.sender)
        }
    }

    /// The room goes on with another log: a repeat is still none that anybody gets.
    mutating func logEnded() {
        self.table.forgetSeqs()
    }

    mutating func removeAll() {
        self.table = PublishKeyTable()
        self.senders = PublishKeySenders()
    }
}

/// A publish that the store knows of, as its log was opened.
package struct StoredPublish: Equatable, Sendable {
    package var key: PublishKey
    /// 0: its log has ended.
    package var seq: UInt64
    package var stamp: Stamp

    package init(key: PublishKey, seq: UInt64, stamp: Stamp) {
        self.key = key
        self.seq = seq
        self.stamp = stamp
    }
}
