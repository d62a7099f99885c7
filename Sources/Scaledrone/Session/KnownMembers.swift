import RoomClient

/// The members of a room as the app knows them. Pure.
struct KnownMembers {
    /// A delegate call.
    enum Change {
        case connected([ScaledroneMember])
        case joined(ScaledroneMember)
        case left(ScaledroneMember)
    }

    private(set) var members: [ScaledroneMember] = []
    private var hasConnected = false
    /// The room shows its members.
    var isObservable: Bool { self.hasConnected }

    /// The object that the app already has, if the member has not changed.
    func known(_ member: Member) -> ScaledroneMember {
        self.members.first { $0.id == member.id && $0.member == member } ?? ScaledroneMember(member)
    }

    /// The list came before the answer to the subscribe: the app can read it when the room has connected, and is told of it behind that.
    mutating func cameEarly(_ list: [Member]) {
        if !self.hasConnected { self.members = list.map { self.known($0) } }
    }

    /// The whole list. The app gets the first one, and after each reconnection the difference.
    mutating func listed(_ list: [Member]) -> [Change] {
        let former = self.members
        self.members = list.map { self.known($0) }
        guard self.hasConnected else {
            self.hasConnected = true
            return [.connected(self.members)]
        }
        // A list contains this client, so an empty one means that the broker does not list the members.
        if list.isEmpty { return [] }
        let (before, after) = (Set(former.map(\.id)), Set(list.map(\.id)))
        return former.filter { !after.contains($0.id) }.map { .left($0) }
            + self.members.filter { !before.contains($0.id) }.map { .joined($0) }
    }

    mutating func joined(_ newcomer: Member) -> [Change] {
        if self.replace(newcomer) { return [] }
        let member = ScaledroneMember(newcomer)
        self.members.append(member)
        return [.joined(member)]
    }

    mutating func left(_ leaver: Member) -> [Change] {
        guard let index = self.members.firstIndex(where: { $0.id == leaver.id }) else {
            return [.left(ScaledroneMember(leaver))]
        }
        return [.left(self.members.remove(at: index))]
    }

    /// Scaledrone's API has no call for this; the app finds the new data in the list and in messages.
    mutating func updated(_ member: Member) {
        _ = self.replace(member)
    }

    private mutating func replace(_ member: Member) -> Bool {
        guard let index = self.members.firstIndex(where: { $0.id == member.id }) else { return false }
        self.members[index] = self.known(member)
        return true
    }
}
