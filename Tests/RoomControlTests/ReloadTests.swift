import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomControl

/// What other nodes of a cluster have changed in the control file.
struct ReloadTests {
    private static let entry = AuditEntry(time: 1, actor: "a", origin: "b", action: "c", target: "d")
    private let root = Moderator(actor: "uid:0", origin: "unix", sender: .make("root"), person: nil)

    private var ban: Sanction {
        let key = Sanction.Key(.ban, of: .user("ann"), in: nil)
        return Sanction(key: key, reason: nil, author: "uid:0", created: 1, expires: nil)
    }

    @Test func `a channel that another node has made, changed or deleted is so here`() async throws {
        let bench = try ControlBench(isShared: true)
        let id = ChannelID.make("new")
        _ = try bench.directory.create(.make("new"), secret: ChannelSecret(text: "s"), Self.entry)
        await bench.registry.reload(id)
        #expect(try await bench.registry.channel(id).secrets == [ChannelSecret(text: "s")])
        _ = try bench.directory.update(.make("new", history: nil), ifVersion: nil, Self.entry)
        await bench.registry.reload(id)
        #expect(bench.rooms.state.withLockedValue(\.changed).map(\.settings.history?.count) == [1_000, nil])
        // nothing is new
        await bench.registry.reload(id)
        #expect(bench.rooms.state.withLockedValue(\.changed).count == 2)
        try bench.directory.delete(id, ifVersion: nil, Self.entry)
        await bench.registry.reload(id)
        #expect(bench.rooms.state.withLockedValue(\.removed) == [id])
        await #expect(throws: ControlError.self) { try await bench.registry.channel(id) }
    }

    @Test func `bans and rules of another node hold here`() async throws {
        let bench = try ControlBench(isShared: true)
        let (id, room) = (ChannelID.make("talk"), RoomKey.make("r", channel: "talk"))
        var rules = RoomRules()
        rules.isLocked = true
        try bench.directory.set(self.ban, in: id, Self.entry)
        try bench.directory.set(rules, of: room, [Self.entry])
        await bench.moderation.reload(id)
        let moderation = ChannelModeration(sanctions: [self.ban], rules: [room.room: rules])
        #expect(bench.moderated.calls == [.changed(moderation, id, [room.room])])
        await bench.moderation.reload(id)
        #expect(bench.moderated.calls.count == 1)
        try bench.directory.lift(self.ban.key, in: id, Self.entry)
        await bench.moderation.reload(id)
        #expect(await bench.moderation.moderation(of: id).sanctions.all.isEmpty)
    }

    /// What others have changed meanwhile would be overwritten.
    @Test func `a change of this node is put in effect by whoever is told of all changes`() async throws {
        let bench = try ControlBench(isShared: true)
        let id = ChannelID.make("talk")
        _ = try await bench.moderation.impose(self.ban.key, in: id, reason: nil, seconds: nil, by: self.root)
        #expect(bench.moderated.calls.isEmpty)
        await bench.moderation.reload(id)
        #expect(await bench.moderation.moderation(of: id).sanctions[self.ban.key] != nil)
        try await bench.moderation.lift(self.ban.key, in: id, by: self.root)
        #expect(bench.moderated.calls.count == 1)
    }
}
