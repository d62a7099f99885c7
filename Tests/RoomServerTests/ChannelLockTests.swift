import Testing

@testable import RoomControl
@testable import RoomModel
@testable import RoomServer

@Suite struct ChannelLockTests {
    private let id = ChannelID("demo") ?? .standard

    @Test func `each setting that a flag names is locked with that part of the flag`() throws {
        let channel = try ChannelOverride("demo,durability=power,history=5,history-age=60s")
        #expect(channel.locks.map(\.name) == ["history", "history-age", "durability"])
        #expect(channel.locks.map(\.flag).first == "--channel demo,history=5")
        #expect(ChannelOverride(id: self.id).locks.isEmpty)
        #expect(ChannelOverride.implied.locks.isEmpty)
    }

    @Test func `a lock keeps its own setting and leaves the others alone`() throws {
        let lock = try ChannelOverride("demo,history=5").locks[0]
        var settings = ChannelSettings(id: self.id, history: HistorySettings(count: 5))
        #expect(lock.allows(settings))
        settings.history?.age = .seconds(9)
        settings.grace = .zero
        #expect(lock.allows(settings))
        settings.history?.count = 6
        #expect(!lock.allows(settings))
        settings.history = nil
        #expect(!lock.allows(settings))
    }
}
