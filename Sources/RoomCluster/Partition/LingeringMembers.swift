import HeapModule
import RoomCore
import RoomModel

/// The members that linger, and when each is out at the latest. Its home node says so earlier (`RoomCommand.graceEnded`); this is
/// for those whose node is gone.
struct LingeringMembers {
    struct Member: Hashable {
        let room: RoomKey
        let client: ClientID
    }

    private struct End: Comparable {
        let time: Int64
        /// Of two at the same time the one that began first is first.
        let number: Int
        let member: Member

        static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
    }

    /// With those of members that have begun anew since.
    private var queue: Heap<End> = []
    private var ends: [Member: Int64] = [:]
    private var newest = 0

    var isEmpty: Bool { self.queue.isEmpty }

    /// Those that have not begun anew, in the order of their ends.
    var members: [(member: Member, end: Int64)] {
        var known: Set<Member> = []
        return self.queue.unordered.sorted()
            .filter { self.ends[$0.member] == $0.time && known.insert($0.member).inserted }
            .map { ($0.member, $0.time) }
    }

    /// It may have come back meanwhile: then its end does nothing.
    mutating func began(_ member: Member, until end: Int64) {
        self.ends[member] = end
        self.newest += 1
        self.queue.insert(End(time: end, number: self.newest, member: member))
    }

    mutating func due(at time: Int64) -> [Member] {
        var due: [Member] = []
        while let first = self.queue.min, first.time <= time {
            self.queue.removeMin()
            guard self.ends[first.member] == first.time else { continue }
            self.ends[first.member] = nil
            due.append(first.member)
        }
        return due
    }
}
