import RoomCore
package import RoomDocuments
package import RoomModel

/// Lists of clients and members. Work that grows with their number is done here, off the event loops: those give what
/// they have as it is, or look at a few members at a time.
extension RoomGateway {
    private static let roomsAtOnce = 64
    private static let membersAtOnce = 64

    package func members(in channel: ChannelID) async -> [ClientID] {
        let rooms = await self.rooms(in: channel, RoomQuery()).rooms.map { RoomName($0.name) }
        var seen: Set<ClientID> = []
        return await self.members(of: rooms, in: channel).flatMap { $0.1.filter { seen.insert($0).inserted } }
    }

    package func members(of room: RoomKey) async -> [ClientID] {
        await self.ask(self.owner(of: room)) { $0.owner.members(of: room) }.clients
    }

    package func members(of rooms: [RoomName], in channel: ChannelID) async -> [(RoomName, [ClientID])] {
        var members: [[ClientID]] = rooms.map { _ in [] }
        let byOwner = Dictionary(grouping: rooms.indices) { index in
            self.owner(of: RoomKey(channel: channel, room: rooms[index])).index
        }
        for (shard, indices) in byOwner {
            var rest = indices[...]
            while !rest.isEmpty {
                let some = rest.prefix(Self.roomsAtOnce)
                rest = rest.dropFirst(Self.roomsAtOnce)
                let keys = some.map { RoomKey(channel: channel, room: rooms[$0]) }
                let tables = await self.ask(self.shards[shard]) { shard in keys.map { shard.owner.members(of: $0) } }
                for (index, table) in zip(some, tables) { members[index] = table.clients }
            }
        }
        return zip(rooms, members).filter { !$1.isEmpty }
    }

    package func members(of room: RoomKey, _ query: MemberQuery) async -> MemberPage {
        let owner = self.owner(of: room)
        let (members, seq) = await self.ask(owner) { ($0.owner.members(of: room), $0.owner.detail(of: room)?.seq ?? 0) }
        let sorted = members.clients.filter { client in query.after.map { $0 < client.text } ?? true }
            .sorted { $0.text < $1.text }
        let page = sorted.prefix(query.limit)
        return MemberPage(
            members: await self.details(of: page, in: room, newest: seq),
            hasMore: page.count < sorted.count,
            total: members.count
        )
    }

    package func details(of clients: [ClientID], in room: RoomKey) async -> [AdminMember] {
        let seq = await self.ask(self.owner(of: room)) { $0.owner.detail(of: room)?.seq ?? 0 }
        return await self.details(of: clients[...], in: room, newest: seq)
    }

    package func member(_ client: ClientID, of room: RoomKey) async -> AdminMember? {
        let found = await self.ask(self.owner(of: room)) { shard in
            shard.owner.member(client, room) != nil ? shard.owner.detail(of: room)?.seq ?? 0 : nil
        }
        guard let seq = found else { return nil }
        return await self.details(of: [client], in: room, newest: seq).first
    }

    private func details(
        of clients: ArraySlice<ClientID>,
        in room: RoomKey,
        newest seq: UInt64
    ) async -> [AdminMember] {
        var details: [AdminMember] = []
        var rest = clients
        while !rest.isEmpty {
            let some = rest.prefix(Self.membersAtOnce)
            rest = rest.dropFirst(Self.membersAtOnce)
            let connected = await self.askAll { $0.connected(some, to: room, newest: seq) }
                .reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            details += some.map { connected[$0] ?? AdminMember($0) }
        }
        return details
    }
}
