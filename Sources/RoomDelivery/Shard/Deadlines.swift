import HeapModule
import NIOCore
import RoomModel

/// The deadlines of a shard, so that thousands of connections need one timer. A deadline that has become pointless is
/// not taken out at once: when it has passed, the one that set it looks whether it still means something. When there
/// are many, all that mean nothing any more are taken out together.
struct Deadlines {
    enum Kind: Equatable {
        case handshake(connection: UInt64)
        /// The client has said nothing for so long that it may only want to listen.
        case silence(connection: UInt64)
        case heartbeat(connection: UInt64)
        /// Ends a closing connection whose peer does not read.
        case close(connection: UInt64)
        /// Ends the grace period of a session that can be resumed.
        case grace(token: String)
        /// Ends the time in which a resumed session can subscribe again to the rooms it was in.
        case lingering(connection: UInt64)
        /// A token that has to be renewed ends, or the time to renew it.
        case token(connection: UInt64)
        /// A ban or a mute of the channel ends.
        case sanctions(ChannelID)
    }

    private struct Entry: Comparable {
        let time: NIODeadline
        let number: Int
        let kind: Kind

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Entry>()
    private var count = 0
    private var pruneAt = 1_024

    var next: NIODeadline? { self.heap.min?.time }

    mutating func add(_ kind: Kind, at time: NIODeadline, isPending: (Kind) -> Bool) {
        if self.heap.count >= self.pruneAt {
            self.heap = Heap(self.heap.unordered.filter { isPending($0.kind) })
            self.pruneAt = max(1_024, 2 * self.heap.count)
        }
        self.count += 1
        self.heap.insert(Entry(time: time, number: self.count, kind: kind))
    }

    /// Takes out the first ones that mean nothing any more, so that no timer is set for them.
    mutating func dropPointless(isPending: (Kind) -> Bool) {
        while let first = self.heap.min, !isPending(first.kind) { self.heap.removeMin() }
    }

    mutating func popPassed(_ now: NIODeadline) -> Kind? {
        guard let first = self.heap.min, first.time <= now else { return nil }
        return self.heap.removeMin().kind
    }
}
