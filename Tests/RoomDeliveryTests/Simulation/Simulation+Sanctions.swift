import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Kicks, bans, mutes and rules of a simulated run, and what must not happen after them.
extension Simulation {
    mutating func sanction(_ client: SimulatedClient) {
        guard let room = self.room(of: client.channel, "room") else { return }
        if self.draw.chance(40, "sets out") { self.setOut(client) }
        switch self.draw.case("sanction", below: 10, Act.init) {
        case .kickFromRoom: self.kick(client, from: room)
        case .kick: self.kick(client)
        case .ban: self.impose(.ban, on: client, in: room)
        case .mute: self.impose(.mute, on: client, in: room)
        case .lift: self.lift(in: client.channel)
        case .rule: self.rule(room, client.channel)
        }
    }

    private enum Act: String {
        case kickFromRoom, kick, ban, mute, lift, rule

        init(_ number: Int) {
            self = [.kickFromRoom, .kickFromRoom, .kick, .ban, .ban, .mute, .lift, .lift, .lift, .rule][number]
        }
    }

    /// The client comes back from where it may be, and its session is on its way from one loop to another.
    private mutating func setOut(_ client: SimulatedClient) {
        guard let connection = client.connection, client.token != nil else { return }
        client.read()
        if self.draw.chance(50, "drops") { connection.drop() }
        client.disconnected()
        self.comeIn(client)
        if self.draw.chance(70, "arrives") { self.broker.deliverInput() }
    }

    // MARK: Kicks

    private mutating func kick(_ client: SimulatedClient, from room: String) {
        guard let id = client.clientID else { return }
        self.ledger.note("\(client.name) is kicked from \(room)")
        self.broker.kick(id, from: room, client.channel)
        self.kicked(client)
        self.checkMember(client, id, of: room) { $0.connection != nil }
    }

    private mutating func kick(_ client: SimulatedClient) {
        guard let id = client.clientID else { return }
        self.ledger.note("\(client.name) is kicked")
        self.broker.kick(id, client.channel)
        self.kicked(client)
        for room in Self.rooms[client.channel] ?? [] { self.checkMember(client, id, of: room) { _ in false } }
    }

    private func kicked(_ client: SimulatedClient) {
        // what was given out before it came back is gone, however its coming back went
        let token = client.token
        self.broker.runAll()
        if let token { client.revoked.insert(token) }
    }

    /// Holds what a room has of who was kicked against what it may have.
    private func checkMember(_ client: SimulatedClient, _ id: String, of room: String, _ mayBe: (Room.Member) -> Bool) {
        guard let member = self.settled(room, client.channel)?.members[ClientID(id)] else { return }
        self.ledger.check(mayBe(member), "\(client.name) was kicked from \(room) and is in it: \(member)")
    }

    /// The room as it is, where it has nothing to wait for.
    private func settled(_ room: String, _ channel: String) -> Room? {
        let key = RoomKey.make(room, channel: channel)
        let shard = self.owner(of: key)
        guard let room = (shard.owner.rooms[key]?.order as? LoopRoom)?.room else { return nil }
        switch room.phase {
        case .opening, .committing, .clearing: return nil
        case .closed, .ready, .degraded: return room
        }
    }

    // MARK: Bans and mutes

    private mutating func impose(_ kind: Sanction.Kind, on client: SimulatedClient, in room: String) {
        guard let id = client.clientID else { return }
        let subjects: [(String, SanctionSubject)] = [
            ("client", .client(id)), ("user", .user(client.name)), ("address", .network(client.address)),
        ]
        guard let subject = self.draw.one("subject", of: subjects, by: \.0)?.1 else { return }
        let place = self.draw.chance(60, "room only") ? room : nil
        var sanction = Sanction.imposed(kind, on: subject, in: place)
        if !self.plan.hasClockJumps, self.draw.chance(30, "expires") {
            sanction.expires = self.broker.clock.now + Int64(1 + self.draw.below(5_000, "ms"))
        }
        self.ledger.note("\(client.name) gets a \(kind) for \(subject) in \(place ?? client.channel)")
        if self.broker.moderation[.make(client.channel)]?.sanctions[sanction.key] != nil {
            // the new one may end before the one that it replaces
            self.allowed(in: client.channel)
        }
        self.broker.impose(sanction, client.channel)
        self.broker.runAll()
        guard kind == .ban else { return }
        for room in place.map({ [$0] }) ?? Self.rooms[client.channel] ?? [] { self.checkBans(room, client.channel) }
    }

    /// Nobody whom a ban meets is a member, or gets what comes from now on.
    private func checkBans(_ room: String, _ channel: String) {
        let members = self.settled(room, channel)?.members
        for client in self.clients where client.channel == channel {
            guard let ban = self.ban(on: client, from: room), let id = client.clientID else { continue }
            if ban.expires == nil, client.connection != nil, client.bannedAfter[room] == nil {
                client.bannedAfter[room] = self.published
            }
            self.ledger.check(
                members?[ClientID(id)] == nil,
                "\(client.name) is banned from \(room) by \(ban.key.subject) and a member of it"
            )
        }
    }

    private func activeSanctions(of client: SimulatedClient) -> ActiveSanctions {
        let person = SanctionedPerson(
            user: client.user,
            client: client.clientID.map { ClientID($0) },
            address: IPAddress(client.address)
        )
        let sanctions = self.broker.moderation[.make(client.channel)]?.sanctions ?? SanctionTable()
        return sanctions.activeSanctions(of: person, now: self.broker.clock.now)
    }

    /// A ban that has met the client; of one whose handshake is under way it is not known yet who it will be.
    private func ban(on client: SimulatedClient, from room: String) -> Sanction? {
        guard client.isOpen || client.connection == nil else { return nil }
        return self.activeSanctions(of: client).ban(from: RoomName(room))
    }

    /// Why what the client publishes now must not come into the room.
    func prohibition(on client: SimulatedClient, in room: String) -> String? {
        if self.hasExpired(client) { return "\(client.channel): the token of \(client.name) has expired" }
        let name = RoomName(room)
        let activeSanctions = self.activeSanctions(of: client)
        if let sanction = activeSanctions.ban(from: name) ?? activeSanctions.mute(in: name), sanction.expires == nil {
            return "\(client.channel): \(sanction.key)"
        }
        let isLocked = self.broker.moderation[.make(client.channel)]?.rules(of: name).isLocked ?? false
        return isLocked ? "\(client.channel): \(room) is locked" : nil
    }

    private mutating func lift(in channel: String) {
        let all = self.broker.moderation[.make(channel)]?.sanctions.all.map { $0 } ?? []
        let sorted = all.sorted { "\($0.key)" < "\($1.key)" }
        guard let sanction = self.draw.one("lifted", of: sorted, by: { "\($0.key)" }) else { return }
        self.ledger.note("\(sanction.key) is lifted")
        self.allowed(in: channel)
        self.broker.lift(sanction, channel)
        self.broker.runAll()
    }

    private mutating func rule(_ room: String, _ channel: String) {
        let rules: [(String, RoomRules)] = [
            ("none", RoomRules()), ("locked", .make(locked: true)), ("slow", .make(slowMode: 2)),
            ("members", .make(members: 40)),
        ]
        guard let rule = self.draw.one("rule", of: rules, by: \.0)?.1 else { return }
        self.ledger.note("\(room) of \(channel) has other rules: \(rule)")
        self.allowed(in: channel)
        self.broker.rule(room, rule, channel)
        self.broker.runAll()
    }

    /// What was refused so far may wait to be read still, and be let in when it is.
    func allowed(in channel: String) {
        self.ledger.forbidden = self.ledger.forbidden.filter { !$0.value.hasPrefix("\(channel): ") }
        for client in self.clients where client.channel == channel { client.bannedAfter = [:] }
    }

    /// So that everybody can see the last message.
    func stopModerating() {
        self.broker.runAll()
        for (channel, rooms) in Self.rooms {
            for room in rooms { self.checkBans(room, channel) }
        }
        for channel in Self.rooms.keys.sorted() {
            self.allowed(in: channel)
            self.broker.moderate(channel) { $0 = ChannelModeration() }
        }
        self.broker.runAll()
    }
}
