import NIOCore
package import RoomModel

/// The members of a room in the order of joining, and the list of them that clients are sent: it is encoded when it is
/// asked for, at most once between two changes, and not kept behind the batch.
package struct RoomMembers: Equatable, Sendable {
    private var members = InsertionOrderedDictionary<ClientID, Room.Member>()
    private var snapshot: MemberSnapshot?
    /// The bytes that the members take in a list.
    private var bytes = 0
    /// How often a list was encoded.
    package private(set) var encodings = 0

    package var count: Int { self.members.count }
    package var isEmpty: Bool { self.members.isEmpty }

    package subscript(id: ClientID) -> Room.Member? { self.members[id] }

    /// In the order of joining.
    package var senders: some Sequence<Sender> { self.members.values.lazy.map(\.sender) }

    /// In the order of joining.
    var entries: some Sequence<(ClientID, Room.Member)> { zip(self.members.keys, self.members.values) }

    /// Whether the list has a place for the data of this member: nobody with much of it takes the list from the others.
    func hasPlace(for sender: Sender, as id: ClientID, maxBytes: Int) -> Bool {
        let bytes = sender.json.readableBytes
        guard bytes > Self.usual else { return true }
        return self.bytes - (self.members[id]?.sender.json.readableBytes ?? 0) + bytes <= maxBytes
    }

    /// The bytes of a member that are never too many.
    private static let usual = 4_096

    /// A member comes, or comes back to its place on another connection.
    mutating func set(_ member: Room.Member, for id: ClientID) {
        let earlier = self.members[id]?.sender
        self.members[id] = member
        guard earlier != member.sender else { return }
        self.snapshot = nil
        self.bytes += member.sender.json.readableBytes - (earlier?.json.readableBytes ?? 0)
    }

    mutating func remove(_ id: ClientID) -> Room.Member? {
        guard let member = self.members.removeValue(forKey: id) else { return nil }
        self.snapshot = nil
        self.bytes -= member.sender.json.readableBytes
        return member
    }

    /// A batch is complete: the list of a large room takes a megabyte, and there may be any number of rooms.
    mutating func dropList() {
        self.snapshot = nil
    }

    /// The members that presence lists, the newest first: none once they are more, or take more, than the limits (protocol §3: above them
    /// count only).
    mutating func list(limit: Int, maxBytes: Int) -> MemberSnapshot {
        let isListed = self.count <= limit && self.bytes <= maxBytes
        // the limit is a setting of the channel, and may have changed
        if let snapshot, snapshot.listed == (isListed ? self.count : 0) { return snapshot }
        let members = isListed ? self.senders.reversed() : []
        let snapshot = MemberSnapshot(members, count: self.count)
        if isListed { self.encodings += 1 }
        self.snapshot = snapshot
        return snapshot
    }
}
