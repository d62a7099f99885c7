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
        guard history != nil else {
            _ = room.batch()
            return room
        }
        _ = room.advance()
        room.opened(.make())
        _ = room.batch()
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

    private static func steps(_ room: inout Room, now: Int64 = 0, _ commands: RoomCommand...) -> [RoomStep] {
        for command in commands { _ = room.enqueue(command) }
        return room.steps(later: now)
    }

    /// The error codes, `nil` for what was let in.
    private static func publish(_ room: inout Room, now: Int64 = 0, _ publishes: PublishCommand...) -> [Code?] {
        for publish in publishes { _ = room.enqueue(.publish(publish)) }
        return room.steps(later: now).compactMap { step -> Code?? in
            switch step {
            case .entry: .some(nil)
            case .answer(.acknowledged(let acknowledgement), _): acknowledgement.isDuplicate ? .some(nil) : nil
            case .answer(let answer, _): .some(answer.error?.code)
            }
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
                .answer(.removed(MemberRemoval(reason: "why", sender: kick.sender)), to: .make(2)),
                .entry(.presence(.leave, .make("bob")), seq: 0, excluding: .make(2)),
                .answer(.moderated(.done), to: kick.origin.connection),
            ]
        )
        #expect(Array(room.members.senders) == [.make()])
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
                .answer(.detached, to: .make(1)), .entry(.presence(.leave, .make("bob")), seq: 0, excluding: nil),
                .answer(.moderated(.done), to: kick.origin.connection),
                .answer(.moderated(.done), to: kick.origin.connection),
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
        let told: [RoomStep] = [
            .entry(.presence(.update, rename.sender), seq: 0, excluding: nil),
            .entry(.named("Ann"), seq: 0, excluding: nil),
        ]
        #expect(Self.steps(&room, .rename(rename)) == told)
        #expect(Self.publish(&room, Self.command()) == [.rateLimited])
        room.rulesChanged(.make(locked: true))
        let steps = Self.steps(&room, .rename(rename))
        #expect(steps.first == told.first)
        #expect(steps.last?.error?.code == .roomLocked)
    }

    @Test func `a repeat of what the room has is answered while it is locked`() {
        var room = Self.room()
        _ = Self.publish(&room, Self.command(messageID: 1))
        room.rulesChanged(.make(locked: true))
        guard case .acknowledged(let repeated)? = Self.steps(&room, .publish(Self.command(messageID: 1))).first?.answer
        else {
            Issue.record("it was not answered as a repeat")
            return
        }
        #expect(repeated.isDuplicate)
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
            Self.publish(&room, now: 9_999, Self.command(), Self.command(ephemeral: true)) == [
                .rateLimited, nil,
            ]
        )
        #expect(Self.publish(&room, now: 10_000, Self.command(), Self.command(nil)) == [nil, nil])
        let refused = Self.steps(&room, now: 12_000, .publish(Self.command())).first
        #expect(refused?.error?.retryAfterMilliseconds == 8_000)
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
            if case .answer(.joinRefused(_, let error), let ref) = step {
                "\(ref?.number ?? 0) \(error.code)"
            } else {
                nil
            }
        }
        #expect(refused == ["5 tooManyMembers"])
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
        #expect(Array(room.members.senders) == [.make()])
    }

    @Test func `a notice has its place in the order and no seq`() {
        var room = Self.room()
        let notice = Notice(text: "hello")
        let command = NoticeCommand(notice, by: .make("mod"), origin: Origin(connection: .make(9), callback: 0))
        for command in [.publish(Self.command()), .notice(command), .publish(Self.command())] as [RoomCommand] {
            _ = room.enqueue(command)
        }
        let batch = room.batch()
        let entries = batch?.entries ?? []
        #expect(entries.map(\.seq) == [1, 0, 2])
        #expect(entries[1].content == .notice(notice) && entries[1].stamp.sender == .make("mod"))
        #expect(room.lastSeq == 2)
        let answers = batch?.answers.filter { $0.connection == .make(9) }
        #expect(answers?.map(\.content) == [.moderated(.notified(0))])
    }

    @Test func `a notice reaches those who are connected when its turn comes`() {
        var room = Self.room()
        let notice = NoticeCommand(
            Notice(text: "hello"),
            by: .make("mod"),
            origin: Origin(connection: .make(9), callback: 0)
        )
        _ = Self.steps(&room, .join(.make("ann")), .join(.make("bob", connection: 3)))
        for command in [.join(.make("eve", connection: 4)), .notice(notice), .leave(ClientID("bob"), .make(3))]
            as [RoomCommand]
        {
            _ = room.enqueue(command)
        }
        let answers = room.batch()?.answers.filter { $0.connection == .make(9) }
        #expect(answers?.map(\.content) == [.moderated(.notified(3))])
    }
}
