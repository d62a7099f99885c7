import DequeModule
import RoomModel

/// The members that linger, and when each is out at the latest. Its home node says so earlier (`RoomCommand.graceEnded`); this is
/// for those whose node is gone.
struct LingeringMembers {
    struct Member: Hashable {
        let room: RoomKey
        let client: ClientID
    }

    /// In the order of their ends, with those that have begun anew since.
    private var queue: Deque<(member: Member, end: Int64)> = []
    private var ends: [Member: Int64] = [:]

    var isEmpty: Bool { self.queue.isEmpty }

    /// Those that have not begun anew, in the order of their ends.
    var members: [(member: Member, end: Int64)] {
        var known: Set<Member> = []
        return self.queue.filter { self.ends[$0.member] == $0.end && known.insert($0.member).inserted }
    }

    /// It may have come back meanwhile: then its end does nothing.
    mutating func began(_ member: Member, until end: Int64) {
        self.ends[member] = end
        self.queue.append((member, end))
    }

    mutating func due(at time: Int64) -> [Member] {
        var due: [Member] = []
        while let (member, end) = self.queue.first, end <= time {
            self.queue.removeFirst()
            guard self.ends[member] == end else { continue }
            self.ends[member] = nil
            due.append(member)
        }
        return due
    }
}
