import NIOCore
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomModel

/// Kicks, rules and notices at their place in a room's order.
struct RoomModerationTests {
    private static func room(_ name: String = "observable-room", members: [String] = [], history: Int? = nil) -> Room {
        let channel = RoomChannel(settings: .make(history: history))
        var room = Room(key: .make(name), channel: channel, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        for (index, name) in members.enumerated() {
            _ = room.enqueue(.join(.make(name, connection: UInt64(index + 1))))
        }
        if history != nil { _ = room.enqueue(.members(Origin(connection: .make(), callback: 1))) }
        _ = room.advance()
        if history != nil {
            room.opened(.make())
            _ = room.advance()
        }
        return room
    }

    private static func kick(_ id: String) -> KickCommand {
        KickCommand(
            client: ClientID(id),
            reason: "why",
            sender: .make("mod"),
            origin: Origin(connection: .make(9), callback: 0)
        )
    }

    private static func steps(_ room: inout Room, now: UInt64 = 0, _ commands: RoomCommand...) -> [RoomStep] {
        for command in commands { _ = room.enqueue(command) }
        guard case .batch(let batch) = room.advance(now: now) else { return [] }
        return batch.steps
    }

    /// The error codes, `nil` for what was let in.
    private static func publish(_ room: inout Room, now: UInt64 = 0, _ publishes: PublishCommand...) -> [Code?] {
        for publish in publishes { _ = room.enqueue(.publish(publish)) }
        guard case .batch(let batch) = room.advance(now: now) else { return [] }
        return batch.steps.map { step in
            if case .refuse(_, let error) = step { error.code } else { nil }
        }
    }

    private static func command(
        _ author: String? = "ann",
        messageID: UInt64? = nil,
        ephemeral: Bool = false
    ) -> PublishCommand {
        var command = PublishCommand.make(messageID: messageID, ephemeral: ephemeral)
        command.author = author.map { .client(ClientID($0)) }
        return command
    }

    // MARK: Kicks

    @Test func `a kick takes the member out, then tells the others`() {
        var room = Self.room(members: ["ann", "bob"])
        let kick = Self.kick("bob")
        #expect(
            Self.steps(&room, .kick(kick)) == [
                .remove(.make(2), .jsonLines, kick), .presence(.leave, .make("bob"), excluding: .make(2)),
                .kicked(kick.origin, wasMember: true),
            ]
        )
        #expect(room.members.keys.map(\.text) == ["ann"])
    }

    @Test func `a lingering member is taken out, and nobody is told twice`() {
        var room = Self.room(members: ["bob"])
        let kick = Self.kick("bob")
        let steps = Self.steps(
            &room,
            .linger(ClientID("bob"), .make(1)),
            .kick(kick),
            .graceEnded(ClientID("bob")),
            .leave(ClientID("bob"), .make(1)),
            .kick(kick)
        )
        #expect(
            steps == [
                .detach(.make(1), .jsonLines), .presence(.leave, .make("bob"), excluding: nil),
                .kicked(kick.origin, wasMember: true), .kicked(kick.origin, wasMember: false),
            ]
        )
        #expect(room.members.isEmpty)
    }

    // MARK: Rules

    @Test func `into a locked room nobody publishes but who is exempt`() {
        var room = Self.room()
        room.rulesChanged(.make(locked: true, reason: "pause"))
        let codes = Self.publish(&room, Self.command(), Self.command(ephemeral: true), Self.command(nil))
        #expect(codes == [.roomLocked, .roomLocked, nil])
        #expect(room.lastSeq == 1)
        room.rulesChanged(RoomRules())
        #expect(Self.publish(&room, Self.command()) == [nil])
    }

    @Test func `a name is a message to the rules, and still the member's own`() {
        var room = Self.room(members: ["ann"])
        let rename = RenameCommand.make(data: "1")
        room.rulesChanged(.make(slowMode: 10))
        let told = [RoomStep.presence(.update, rename.sender, excluding: nil), .named(rename.sender, name: "Ann")]
        #expect(Self.steps(&room, .rename(rename)) == told)
        #expect(Self.publish(&room, Self.command()) == [.rateLimited])
        room.rulesChanged(.make(locked: true))
        let steps = Self.steps(&room, .rename(rename))
        #expect(steps.first == told.first)
        guard case .refuse(_, let error) = steps.last else {
            Issue.record("it was announced")
            return
        }
        #expect(error.code == .roomLocked)
    }

    @Test func `a repeat of what the room has is answered while it is locked`() {
        var room = Self.room()
        _ = Self.publish(&room, Self.command(messageID: 1))
        room.rulesChanged(.make(locked: true))
        guard case .duplicate = Self.steps(&room, .publish(Self.command(messageID: 1))).first else {
            Issue.record("it was not answered as a repeat")
            return
        }
        #expect(Self.publish(&room, Self.command(messageID: 2)) == [.roomLocked])
        room.rulesChanged(RoomRules())
        #expect(Self.publish(&room, Self.command(messageID: 2)) == [nil])
        #expect(room.lastSeq == 2)
    }

    @Test func `what was sent before the lock comes in before it`() {
        var room = Self.room(history: 10)
        #expect(Self.publish(&room, Self.command()) == [nil])
        _ = room.enqueue(.publish(Self.command()))
        room.rulesChanged(.make(locked: true))
        _ = room.enqueue(.publish(Self.command()))
        room.committed(AppendReceipt(oldestSeq: 1))
        #expect(Self.publish(&room) == [nil, .roomLocked])
    }

    @Test func `slow-mode counts each author's messages, not what was refused or is ephemeral`() {
        var room = Self.room()
        room.rulesChanged(.make(slowMode: 10))
        #expect(Self.publish(&room, Self.command(), Self.command("bob"), Self.command()) == [nil, nil, .rateLimited])
        #expect(
            Self.publish(&room, now: 9_999_000_000, Self.command(), Self.command(ephemeral: true)) == [
                .rateLimited, nil,
            ]
        )
        #expect(Self.publish(&room, now: 10_000_000_000, Self.command(), Self.command(nil)) == [nil, nil])
        guard case .refuse(_, let error) = Self.steps(&room, now: 12_000_000_000, .publish(Self.command())).first else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.retryAfterMilliseconds == 8_000)
    }

    @Test func `a message that was not stored is none to slow-mode`() {
        var room = Self.room(history: 10)
        room.rulesChanged(.make(slowMode: 10))
        #expect(Self.publish(&room, Self.command()) == [nil])
        room.commitFailed()
        _ = room.enqueue(.publish(Self.command()))
        _ = room.advance()
        room.opened(.make())
        #expect(Self.publish(&room, now: 1) == [nil])
    }

    @Test func `slow-mode that was off begins anew`() {
        var room = Self.room()
        room.rulesChanged(.make(slowMode: 10))
        _ = Self.publish(&room, Self.command())
        room.rulesChanged(RoomRules())
        #expect(Self.publish(&room, Self.command(), Self.command()) == [nil, nil])
        room.rulesChanged(.make(slowMode: 10))
        #expect(Self.publish(&room, Self.command(), Self.command()) == [nil, .rateLimited])
    }

    @Test func `a full room takes nobody new; who is in stays, and who lingers comes back`() {
        var room = Self.room(members: ["ann", "bob"])
        room.rulesChanged(.make(members: 1))
        #expect(room.members.count == 2)
        _ = Self.steps(&room, .linger(ClientID("bob"), .make(2)))
        let back = JoinCommand.make("bob", connection: 3)
        var moderator = JoinCommand.make("mod", connection: 4)
        moderator.isModerator = true
        let steps = Self.steps(&room, .join(back), .join(.make("new", connection: 5)), .join(moderator))
        let refused = steps.compactMap { step in
            if case .refuseJoin(let join, let error) = step { "\(join.clientID) \(error.code)" } else { nil }
        }
        #expect(refused == ["new tooManyMembers"])
        #expect(room.members.count == 3)
    }

    @Test func `a limit of moderators is no more than the channel's`() {
        var limits = ChannelLimits()
        limits.membersPerRoom = 1
        let channel = RoomChannel(settings: .make(history: nil, limits: limits))
        var room = Room(key: .make(), channel: channel, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        room.rulesChanged(.make(members: 5))
        var moderator = JoinCommand.make("mod", connection: 2)
        moderator.isModerator = true
        _ = Self.steps(&room, .join(.make("ann")), .join(.make("bob", connection: 3)), .join(moderator))
        #expect(room.members.keys.map(\.text) == ["ann"])
    }

    @Test func `a notice has its place in the order and no seq`() {
        var room = Self.room()
        let notice = Notice(text: "hello")
        let steps = Self.steps(&room, .publish(Self.command()), .notice(notice, .make("mod")), .publish(Self.command()))
        #expect(steps[1] == .notice(notice, .make("mod")))
        #expect(room.lastSeq == 2)
    }
}
