import DequeModule
package import RoomModel

/// The publishes of the last ten minutes that had a `message_id`, so that a repeat is answered and not delivered.
///
/// Bounded by count too: beyond it the oldest is forgotten early.
package struct PublishKeys {
    package static let lifetimeMilliseconds: Int64 = 10 * 60 * 1_000

    /// The result of the first publish with a key.
    package struct Original: Equatable, Sendable {
        /// `nil` where its log has ended since: in another one the number means another message.
        package var seq: UInt64?
        package var digest: UInt64
        package var stamp: Stamp
    }

    private var originals: [UniqueID: Original] = [:]
    private var order: Deque<(key: UniqueID, milliseconds: Int64)> = []
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var isEmpty: Bool { self.originals.isEmpty }

    package subscript(key: UniqueID) -> Original? { self.originals[key] }

    /// A publish has got its place in the log.
    package mutating func insert(_ key: PublishKey, seq: UInt64, _ stamp: Stamp) {
        self.originals[key.id] = Original(seq: seq, digest: key.digest, stamp: stamp)
        self.order.append((key.id, stamp.id.milliseconds))
    }

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

/// A publish that the store knows of, as its log was opened.
package struct StoredPublish: Equatable, Sendable {
    package var key: PublishKey
    package var seq: UInt64
    package var stamp: Stamp

    package init(key: PublishKey, seq: UInt64, stamp: Stamp) {
        self.key = key
        self.seq = seq
        self.stamp = stamp
    }
}
