import RoomCore
package import RoomDocuments
import RoomModel

/// The connections that do not take what is there for them as fast as it comes.
package struct SlowMembers: Equatable, Sendable {
    package private(set) var count = 0
    /// The members furthest behind, each with the room in which it is that, the furthest first. The lag is 0 where what waits has no
    /// `seq`, or waits in buffers of the system.
    package private(set) var furthest: [AdminStatistics.SlowMember] = []

    package init() {}

    /// - Parameter most: how many are named.
    mutating func add(_ member: AdminStatistics.SlowMember, naming most: Int) {
        self.count += 1
        self.insert(member, naming: most)
    }

    mutating func add(_ others: SlowMembers, naming most: Int) {
        self.count += others.count
        for member in others.furthest { self.insert(member, naming: most) }
    }

    private mutating func insert(_ member: AdminStatistics.SlowMember, naming most: Int) {
        let place = self.furthest.firstIndex { $0.lag < member.lag } ?? self.furthest.count
        guard place < most else { return }
        self.furthest.insert(member, at: place)
        if self.furthest.count > most { self.furthest.removeLast() }
    }
}

extension RoomShard {
    /// Rooms and connections that are looked at before the loop has other work to do.
    private static let searched = 1_000

    /// The slow ones of these connections; looks more closely only at those that owe a delivery, or whose socket takes nothing.
    ///
    /// - Returns: how many of the connections were looked at, too.
    func slowMembers(among numbers: ArraySlice<UInt64>, naming most: Int) -> (SlowMembers, count: Int) {
        var slow = SlowMembers()
        var (left, count) = (Self.searched, 0)
        for number in numbers {
            guard left > 0 else { break }
            left -= 1
            count += 1
            guard let connected = self.connections[number]?.member else { continue }
            // what has no seq may fill a socket, too
            let writer = connected.connection.writer
            let isFull = writer.isBlocked || writer.isStalled
            guard connected.owesDelivery || isFull else { continue }
            let subscribers = connected.subscriptions.all
            left -= subscribers.count
            guard let furthest = subscribers.max(by: { $0.lag < $1.lag }), furthest.lag > 0 || isFull else { continue }
            var member = AdminStatistics.SlowMember(placeholder: ())
            let key = furthest.replica.key
            (member.channel, member.room, member.id) = (key.channel.text, key.room.text, connected.clientID.text)
            (member.clientDataBytes, member.lag) = (connected.session.identity.clientData, furthest.lag)
            slow.add(member, naming: most)
        }
        return (slow, count)
    }
}

extension Subscriber {
    /// Messages of the window that it has not been sent yet.
    fileprivate var lag: Int {
        guard let newest = self.replica.window.last?.lastSeq else { return 0 }
        return Int(clamping: newest - min(newest, self.lastSeq))
    }
}
