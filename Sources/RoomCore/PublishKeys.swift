import DequeModule
package import RoomModel

/// The publishes of the last ten minutes that had a `message_id`, so that a repeat is answered and not delivered.
///
/// Bounded by count too: beyond it the oldest is forgotten early.
package struct PublishKeys {
    package static let lifetimeMilliseconds: Int64 = 10 * 60 * 1_000

    /// What the first publish under a key became.
    package struct Original: Equatable, Sendable {
        /// `nil` where its log has ended since: in another one the number means another message.
        package var seq: UInt64?
        package var digest: UInt64
        package var stamp: Stamp?
    }

    private var originals: [UniqueID: Original] = [:]
    private var order: Deque<(key: UniqueID, milliseconds: Int64)> = []
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var isEmpty: Bool { self.originals.isEmpty }

    package subscript(key: UniqueID) -> Original? { self.originals[key] }

    /// A publish has got its place in the log; `stamped` follows in the same batch.
    package mutating func insert(_ key: PublishKey, seq: UInt64) {
        self.originals[key.id] = Original(seq: seq, digest: key.digest, stamp: nil)
    }

    package mutating func stamped(_ key: UniqueID, _ stamp: Stamp) {
        self.originals[key]?.stamp = stamp
        self.order.append((key, stamp.id.milliseconds))
    }

    /// Not while a batch is being encoded: its repeats are answered from here.
    package mutating func forget(before milliseconds: Int64) {
        while let first = self.order.first, first.milliseconds < milliseconds || self.order.count > self.capacity {
            self.originals.removeValue(forKey: first.key)
            self.order.removeFirst()
        }
    }

    /// The room goes on with another log: a repeat is still none that anybody gets.
    package mutating func logEnded() {
        for key in self.originals.keys { self.originals[key]?.seq = nil }
    }

    package mutating func removeAll() {
        self.originals = [:]
        self.order = []
    }
}
