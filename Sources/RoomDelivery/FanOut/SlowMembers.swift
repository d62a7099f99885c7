package import NIOCore
import RoomCore
package import RoomModel

/// The connections that do not take what is there for them as fast as it comes.
package struct SlowMembers: Equatable, Sendable {
    /// A member, and the room in which it is furthest behind.
    package struct Member: Equatable, Sendable {
        package var room: RoomKey
        package var id: ClientID
        /// One JSON value, byte for byte as the client gave it.
        package var clientData: ByteBuffer?
        /// Messages of the room that it has not been sent yet; 0 where what waits has no `seq`, or waits in buffers of the system.
        package var lag: Int
    }

    package private(set) var count = 0
    /// Those furthest behind, the furthest first.
    package private(set) var furthest: [Member] = []

    package init() {}

    /// - Parameter most: how many are named.
    mutating func add(_ member: Member, naming most: Int) {
        self.count += 1
        self.insert(member, naming: most)
    }

    mutating func add(_ others: SlowMembers, naming most: Int) {
        self.count += others.count
        for member in others.furthest { self.insert(member, naming: most) }
    }

    private mutating func insert(_ member: Member, naming most: Int) {
        let place = self.furthest.firstIndex { $0.lag < member.lag } ?? self.furthest.count
        guard place < most else { return }
        self.furthest.insert(member, at: place)
        if self.furthest.count > most { self.furthest.removeLast() }
    }
}

extension RoomShard {
    /// Rooms and connections that are looked at before the loop has other work to do.
    private static let searched = 1_000

    /// Those of these connections; looks more closely only at those that owe a delivery, or whose socket takes nothing.
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
            let member = SlowMembers.Member(
                room: furthest.replica.key,
                id: connected.clientID,
                clientData: connected.session.identity.clientData,
                lag: furthest.lag
            )
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
