import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Channels of a simulated run that change while people are in them, the tokens that are shown there, and time.
extension Simulation {
    /// Changes what can be set; deletes the channel once in a while and makes it again.
    mutating func changeChannel() {
        let channels = self.channels
        guard let index = self.draw.one("channel", of: channels.indices, by: { channels[$0].id.text }) else { return }
        let settings = self.channels[index]
        self.broker.runAll()
        if self.draw.chance(8, "deletes") {
            self.ledger.note("\(settings.id) is deleted and made again")
            self.broker.removeChannel(settings.id.text)
            while !self.clearLogs(of: settings.id) {}
            self.use(settings)
        } else {
            let changed = self.changed(settings)
            if settings.history == nil, changed.history != nil, !self.clearLogs(of: settings.id) {
                self.ledger.note("the change is refused")
                return
            }
            self.channels[index] = changed
            self.use(changed)
            if changed.history == nil { _ = self.clearLogs(of: settings.id) }
        }
    }

    /// What `ChannelRegistry` does before history is turned on, and when it was turned off: no log of before is used again. It
    /// waits for the store.
    ///
    /// - Returns: whether the store has done it.
    private func clearLogs(of channel: ChannelID) -> Bool {
        let engine = self.broker.engine
        engine.release()
        let isCleared = NIOLockedValueBox(false)
        engine.rooms(in: channel) { rooms in
            guard let rooms = try? rooms.get() else { return }
            engine.clear(rooms.map { RoomKey(channel: channel, room: $0) }) { result in
                if case .success = result { isCleared.withLockedValue { $0 = true } }
            }
        }
        return isCleared.withLockedValue(\.self)
    }

    private mutating func use(_ settings: ChannelSettings) {
        for client in self.clients where client.channel == settings.id.text { client.forgetTokenEnd() }
        self.allowed(in: settings.id.text)
        self.broker.change(settings)
        // what was sent before, under other settings, has been read or waits for longer than that
        self.allowed(in: settings.id.text)
    }

    private mutating func changed(_ settings: ChannelSettings) -> ChannelSettings {
        let hasHistory = self.draw.chance(50, "history")
        let count = 10 + self.draw.below(60, "count")
        let age = Duration.seconds([2, 60, 3_600][self.draw.below(3, "age")])
        let changed = settings.with {
            $0.history = hasHistory ? HistorySettings(count: count, age: age) : nil
            $0.presence = PresenceScope.allCases[count % 3]
            $0.authDataStamps = AuthDataStamps.allCases[count % 3]
            $0.authentication = self.authentication()
            $0.tokenExpiry = self.draw.chance(60, "live tokens") ? .live : .atUse
            $0.limits = self.limits()
        }
        self.ledger.note(
            """
            \(settings.id) changes: history \(hasHistory ? count : 0) for \(age), presence \(changed.presence), \
            tokens \(changed.authentication) \(changed.tokenExpiry), \(changed.limits)
            """
        )
        return changed
    }

    private mutating func authentication() -> Authentication {
        let all: [(String, Authentication)] = [
            ("optional", .optional), ("optional", .optional), ("optional", .optional), ("none", .none),
            ("required", .required),
        ]
        return self.draw.one("tokens", of: all, by: \.0)?.1 ?? .optional
    }

    private enum Limited: String {
        case connections, rooms, members, bytes, rate, memberRate, newRooms, nothing

        init(_ number: Int) {
            let all: [Self] = [.connections, .rooms, .members, .bytes, .rate, .memberRate, .newRooms]
            self = number < all.count ? all[number] : .nothing
        }
    }

    private mutating func limits() -> ChannelLimits {
        var limits = ChannelLimits.unset
        switch self.draw.case("limits", below: 12, Limited.init) {
        case .connections: limits.connections = 20 + self.draw.below(100, "limit")
        case .rooms: limits.rooms = 1 + self.draw.below(4, "limit")
        case .members: limits.membersPerRoom = 5 + self.draw.below(60, "limit")
        case .bytes: limits.messageBytes = 50 + self.draw.below(200, "limit")
        case .rate: limits.publishRate = 1 + self.draw.below(20, "limit")
        case .memberRate: limits.memberPublishRate = 1 + self.draw.below(3, "limit")
        case .newRooms: limits.memberNewRoomRate = 1
        case .nothing: break
        }
        return limits
    }

    /// In the end everybody can come, and see the last messages.
    mutating func letEverybodyIn() {
        guard self.plan.hasChanges else { return }
        for index in self.channels.indices {
            self.channels[index].authentication = .optional
            self.channels[index].tokenExpiry = .atUse
            self.channels[index].limits = .unset
            self.use(self.channels[index])
        }
    }

    // MARK: Tokens

    mutating func authenticate(_ client: SimulatedClient) {
        guard client.isOpen else { return }
        let denied = self.draw.chance(50, "denies") ? self.room(of: client.channel, "denied") : nil
        let time = self.draw.chance(60, "ends soon") ? 1 + self.draw.below(20, "seconds") : 1_000_000
        let end = self.seconds + Int64(time)
        self.ledger.note("\(client.name) shows a token that denies \(denied ?? "nothing") and ends at \(end)")
        client.authenticate(Self.token(of: client, denied: denied, end: end), end: end)
    }

    /// It lets the client do all, or all but in one room.
    private static func token(of client: SimulatedClient, denied room: String?, end: Int64) -> String {
        let deny = room.map { ",\"^\($0)$\":{\"publish\":false,\"subscribe\":false}" } ?? ""
        return TestToken.make(
            "{\".*\":{\"publish\":true,\"subscribe\":true,\"history\":30}\(deny)}",
            channel: client.channel,
            expires: end - ManualClock.start / 1_000,
            data: "\"\(client.name)\""
        )
    }

    private var seconds: Int64 { self.broker.clock.now / 1_000 }

    /// Its token has had its time in a channel where that counts, so that nothing that it sends now may be done.
    func hasExpired(_ client: SimulatedClient) -> Bool {
        guard let end = client.tokenEnd, end < self.seconds, !self.plan.hasClockJumps else { return false }
        return self.channels.contains { $0.id.text == client.channel && $0.tokenExpiry == .live }
    }

    // MARK: Time

    func letTimePass(_ time: TimeAmount) {
        // nothing is in the network for so long that the broker takes its sender for silent
        for node in self.nodes {
            node.deliverInput()
            node.advance(by: time)
        }
    }

    /// Somebody sets the clock of the machine. It is not set forward where the broker dies: `message_id`s are forgotten.
    mutating func setClock() {
        let hour: Int64 = 3_600_000
        let isBack = self.plan.hasCrashes || self.draw.chance(50, "back")
        let jump =
            (isBack ? -1 : 1)
            * Int64(self.draw.below(2, "far") == 0 ? 1 + self.draw.below(2_000, "jump") : Int(hour))
        self.ledger.note("the clock is set by \(jump) ms")
        self.broker.clock.advance(milliseconds: jump)
    }
}
