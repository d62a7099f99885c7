import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Who is in a room: the steps of joining, leaving, lingering and taking over.
struct RoomPresenceTests {
    private static let ann = ClientID("ann")

    private static func room(
        _ name: String = "observable-room",
        _ scope: PresenceScope = .ask,
        limits: BrokerLimits = .init(),
        commands: [RoomCommand]
    ) -> (Room, [String]) {
        let channel = RoomChannel(settings: .make(history: nil).with { $0.presence = scope })
        var room = Room(key: .make(name), channel: channel, epoch: Epoch(rawValue: 1), limits: limits)
        for command in commands { _ = room.enqueue(command) }
        let words = room.steps().map(Self.word)
        return (room, words)
    }

    private static func word(_ step: RoomStep) -> String {
        switch step {
        case .entry(.presence(let event, let member), _, _):
            "\(event.rawValue.split(separator: "_").last ?? "") \(member.clientID?.text ?? "")"
        case .entry(.named(let name), _, _): "named \(name)"
        case .answer(.joined(let admission), let connection):
            "\(admission.isRenewal ? "renew" : "attach") \(connection?.number ?? 0) "
                + "\(admission.snapshot.map { "\($0.listed)/\($0.count)" } ?? "-")"
        case .answer(.detached, let connection): "detach \(connection?.number ?? 0)"
        case .answer(.members(_, let list), _): "members \(list.listed)/\(list.count)"
        case .answer(.joinRefused(_, let error), _): error.code.rawValue
        default: "other"
        }
    }

    private static let table: [([RoomCommand], [String])] = [
        ([.join(.make())], ["join ann", "attach 1 1/1"]),
        (
            [.join(.make()), .join(.make("bob", connection: 2))],
            ["join ann", "join bob", "attach 1 2/2", "attach 2 2/2"]
        ),
        (
            [.join(.make()), .update(.make(data: "7")), .join(.make("bob", connection: 2)), .leave(ann, .make(1))],
            ["join ann", "attach 1 1/1", "update ann", "detach 1", "leave ann", "join bob", "attach 2 1/1"]
        ),
        ([.join(.make()), .leave(ann, .make(1))], ["join ann", "attach 1 1/1", "detach 1", "leave ann"]),
        ([.join(.make()), .leave(ann, .make(2))], ["join ann", "attach 1 1/1"]),
        ([.leave(ann, .make(1))], []),
        ([.join(.make()), .linger(ann, .make(1))], ["join ann", "attach 1 1/1", "detach 1"]),
        (
            [.join(.make()), .linger(ann, .make(1)), .graceEnded(ann)],
            ["join ann", "attach 1 1/1", "detach 1", "leave ann"]
        ),
        (
            [.join(.make()), .linger(ann, .make(1), newest: .make(data: "7"))],
            ["join ann", "attach 1 1/1", "update ann", "detach 1"]
        ),
        ([.join(.make()), .graceEnded(ann)], ["join ann", "attach 1 1/1"]),
        (
            [.join(.make()), .linger(ann, .make(1)), .join(.make(connection: 2)), .graceEnded(ann)],
            ["join ann", "attach 1 1/1", "detach 1", "attach 2 1/1"]
        ),
        (
            [.join(.make()), .join(.make(connection: 2)), .linger(ann, .make(1)), .leave(ann, .make(1))],
            ["join ann", "attach 1 1/1", "detach 1", "attach 2 1/1"]
        ),
        (
            [.join(.make()), .linger(ann, .make(1)), .join(.make(data: "7", connection: 2))],
            ["join ann", "attach 1 1/1", "detach 1", "update ann", "attach 2 1/1"]
        ),
        // the join of a connection that was replaced may come behind that of the newer one, whether that is there or lingers
        (
            [.join(.make(connection: 2, resumes: 1)), .join(.make()), .linger(ann, .make(1))],
            ["join ann", "attach 2 1/1", "replaced"]
        ),
        (
            [
                .join(.make(connection: 2, resumes: 1)), .linger(ann, .make(2)), .join(.make()),
                .join(.make(connection: 3, resumes: 2)),
            ],
            ["join ann", "attach 2 1/1", "detach 2", "replaced", "attach 3 1/1"]
        ),
        ([.join(.make()), .join(.make())], ["join ann", "attach 1 1/1", "renew 1 1/1"]),
        (
            [.join(.make()), .join(.make(data: "7")), .leave(ann, .make(1))],
            ["join ann", "attach 1 1/1", "update ann", "renew 1 1/1", "detach 1", "leave ann"]
        ),
        ([.join(.make()), .update(.make(data: "7"))], ["join ann", "attach 1 1/1", "update ann"]),
        ([.update(.make(data: "7"))], []),
        ([.join(.make(wireFormat: .textLines))], ["join ann", "attach 1 -"]),
        (
            [.join(.make(wireFormat: .textLines)), .rename(.make(data: "7"))],
            ["join ann", "attach 1 -", "update ann", "named Ann"]
        ),
        ([.join(.make(start: .resync(seq: 0, .latest)))], []),
        (
            [.join(.make()), .join(.make(start: .resync(seq: 0, .latest)))],
            ["join ann", "attach 1 1/1", "attach 1 1/1"]
        ),
    ]

    @Test(arguments: Self.table.indices)
    func `coming and going has its steps, in order`(row: Int) {
        let (commands, expected) = Self.table[row]
        #expect(Self.room(commands: commands).1 == expected)
    }

    @Test(arguments: [PresenceScope.ask, .prefix])
    func `a room that shows nobody tells nobody`(scope: PresenceScope) {
        let commands: [RoomCommand] = [
            .join(.make(asksPresence: scope == .prefix)), .update(.make(data: "7")), .leave(Self.ann, .make(1)),
        ]
        #expect(Self.room("room", scope, commands: commands).1 == ["attach 1 -", "detach 1"])
    }

    private static let askedTable: [([RoomCommand], [String])] = [
        ([.join(.make(asksPresence: false)), .leave(ann, .make(1))], ["attach 1 -", "detach 1"]),
        ([.join(.make(asksPresence: true))], ["join ann", "attach 1 1/1"]),
        (
            [.join(.make("bob", connection: 2)), .join(.make(asksPresence: true))],
            ["attach 2 -", "join ann", "attach 1 2/2"]
        ),
        // who does not ask is told nothing, and comes before those who are shown the list
        (
            [
                .join(.make(asksPresence: true)), .join(.make("bob", connection: 2)),
                .members(Origin(connection: .make(1), callback: 1)),
            ],
            ["attach 2 -", "join ann", "attach 1 2/2", "members 2/2"]
        ),
        (
            [
                .join(.make(asksPresence: true)), .update(.make(data: "7")), .join(.make("bob", connection: 2)),
                .leave(ClientID("bob"), .make(2)),
            ],
            ["join ann", "attach 1 1/1", "update ann", "join bob", "attach 2 -", "detach 2", "leave bob"]
        ),
        // the last who asks has left, so nobody is told
        (
            [
                .join(.make(asksPresence: true)), .leave(ann, .make(1)), .join(.make("bob", connection: 2)),
                .leave(ClientID("bob"), .make(2)),
            ],
            ["join ann", "attach 1 1/1", "detach 1", "attach 2 -", "detach 2"]
        ),
        // asked later, and no more
        (
            [.join(.make()), .join(.make(asksPresence: true)), .update(.make(data: "7"))],
            ["attach 1 -", "renew 1 1/1", "update ann"]
        ),
        (
            [.join(.make(asksPresence: true)), .join(.make(asksPresence: false)), .update(.make(data: "7"))],
            ["join ann", "attach 1 1/1", "renew 1 -"]
        ),
        // who says nothing asks as before, also when it comes back
        (
            [.join(.make(asksPresence: true)), .join(.make()), .update(.make(data: "7"))],
            ["join ann", "attach 1 1/1", "renew 1 1/1", "update ann"]
        ),
        (
            [
                .join(.make(asksPresence: true)), .linger(ann, .make(1)), .join(.make("bob", connection: 3)),
                .join(.make(connection: 2, resumes: 1)), .update(.make(data: "7")),
            ],
            ["join ann", "attach 1 1/1", "detach 1", "attach 3 -", "attach 2 2/2", "update ann"]
        ),
        ([.join(.make(wireFormat: .textLines))], ["attach 1 -"]),
        (
            [.join(.make(asksPresence: true)), .join(.make(start: .resync(seq: 0, .latest)))],
            ["join ann", "attach 1 1/1", "attach 1 1/1"]
        ),
    ]

    @Test(arguments: Self.askedTable.indices)
    func `a room that shows its members on request shows them to those who ask`(row: Int) {
        let (commands, expected) = Self.askedTable[row]
        #expect(Self.room("room", commands: commands).1 == expected)
    }

    @Test(arguments: [PresenceScope.prefix, .ask, .all], [nil, false, true])
    func `an answer says whether the member is shown who is there`(scope: PresenceScope, asks: Bool?) {
        for name in ["room", "observable-room"] {
            let channel = RoomChannel(settings: .make(history: nil).with { $0.presence = scope })
            var room = Room(key: .make(name), channel: channel, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
            _ = room.enqueue(.join(.make(asksPresence: asks)))
            guard case .joined(let admission) = room.answers().first?.content else {
                Issue.record("not let in")
                continue
            }
            let isShown = scope == .all || name != "room" || scope == .ask && asks == true
            #expect(admission.showsMembers == isShown && (admission.snapshot != nil) == isShown)
            #expect(admission.asksPresence == (asks ?? false))
        }
    }

    @Test func `entries of presence are for those who ask, and not for the connection that leaves`() {
        let channel = RoomChannel(settings: .make(history: nil))
        var room = Room(key: .make("room"), channel: channel, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        for command in [
            .join(.make(asksPresence: true)), .join(.make("bob", connection: 2)), .leave(ClientID("bob"), .make(2)),
            .publish(.make()),
        ] as [RoomCommand] {
            _ = room.enqueue(command)
            let entries = room.batch()?.entries ?? []
            for entry in entries {
                switch entry.content {
                case .presence(.leave, _): #expect(entry.audience == Audience(excluded: .make(2), isOnRequest: true))
                case .presence: #expect(entry.audience == .onRequest)
                default: #expect(entry.audience == .all)
                }
            }
            #expect(entries.count == 1)
        }
    }

    @Test(arguments: [
        (PresenceScope.prefix, PresenceScope.ask, [Audience.onRequest]), (.ask, .all, [.all]), (.prefix, .all, [.all]),
        (.all, .ask, []), (.ask, .prefix, []), (.ask, .ask, []),
    ])
    func `a change of the channel shows the members to those who did not see them`(
        before: PresenceScope,
        after: PresenceScope,
        expected: [Audience]
    ) {
        func channel(_ scope: PresenceScope) -> RoomChannel {
            RoomChannel(settings: .make(history: nil).with { $0.presence = scope })
        }
        var room = Room(key: .make("room"), channel: channel(before), epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        _ = room.enqueue(.join(.make(asksPresence: true)))
        _ = room.enqueue(.join(.make("bob", connection: 2)))
        _ = room.batch()
        room.channelChanged(channel(after), epoch: Epoch(rawValue: 2))
        #expect((room.batch()?.entries ?? []).map(\.audience) == expected)
    }

    @Test func `above the limit members are counted, not listed`() {
        var limits = BrokerLimits()
        limits.membersListed = 1
        let commands: [RoomCommand] = [
            .join(.make()), .join(.make("bob", connection: 2)),
            .members(Origin(connection: .make(), callback: 1)),
        ]
        let words = Self.room(limits: limits, commands: commands).1
        #expect(words == ["join ann", "join bob", "attach 1 0/2", "attach 2 0/2", "members 0/2"])
    }

    @Test func `members that take too many bytes are counted, not listed`() {
        var limits = BrokerLimits()
        limits.memberList = 60
        let commands: [RoomCommand] = [
            .join(.make(data: "\"0123456789\"")), .join(.make("bob", data: "\"0123456789\"", connection: 2)),
            .leave(Self.ann, .make(1)), .members(Origin(connection: .make(), callback: 1)),
        ]
        let words = Self.room(limits: limits, commands: commands).1
        #expect(
            words == ["join ann", "join bob", "attach 1 0/2", "attach 2 0/2", "detach 1", "leave ann", "members 1/1"]
        )
    }

    @Test func `members are listed with the newest first, whatever connection they are on`() {
        let commands: [RoomCommand] = [
            .join(.make("zoe", connection: 1)), .join(.make("ann", connection: 2)),
            .join(.make("zoe", connection: 3)), .members(Origin(connection: .make(), callback: 1)),
        ]
        var room = Self.room(commands: []).0
        for command in commands { _ = room.enqueue(command) }
        let lists = room.steps().compactMap { step in
            if case .members(_, let list)? = step.answer { list } else { nil }
        }
        #expect(lists.count == 1)
        #expect(lists.first == MemberSnapshot([.make("ann"), .make("zoe")], count: 2))
    }

    @Test func `a list is encoded once a batch, whoever asks for it, until a member changes`() {
        let query = RoomCommand.members(Origin(connection: .make(), callback: 1))
        var room = Self.room(commands: [.join(.make()), query, query, query]).0
        #expect(room.members.encodings == 1)
        for command in [query, .update(.make(data: "7")), query, query] { _ = room.enqueue(command) }
        _ = room.steps()
        #expect(room.members.encodings == 3, "it was not kept")
        for command in [query, .linger(Self.ann, .make(1)), query] { _ = room.enqueue(command) }
        _ = room.steps()
        #expect(room.members.encodings == 4)
    }

    @Test func `a batch ends when it lists many bytes of members`() {
        let data = "\"\(String(repeating: "x", count: 1_000))\""
        var room = Self.room(commands: []).0
        for number in 1...100 { _ = room.enqueue(.join(.make("m\(number)", data: data, connection: UInt64(number)))) }
        _ = room.steps()
        for number in 1...100 {
            _ = room.enqueue(.members(Origin(connection: .make(UInt64(number)), callback: 1)))
        }
        var answers: [Int] = []
        while let batch = room.batch() {
            #expect(batch.listedBytes < 192 * 1_024 + 110 * 1_024)
            answers.append(batch.answers.count)
        }
        #expect(answers.reduce(0, +) == 100)
        #expect(answers.count > 20)
    }

    @Test func `all who join in one batch share one list, and each is in it`() {
        var room = Self.room(commands: [.join(.make())]).0
        let encodings = room.members.encodings
        for number in 1...100 {
            _ = room.enqueue(.join(.make("m\(number)", connection: UInt64(number + 1))))
            _ = room.enqueue(.publish(.make("\(number)")))
        }
        _ = room.enqueue(.leave(Self.ann, .make(1)))
        guard let batch = room.batch() else { return }
        #expect(room.members.encodings == encodings + 1)
        let joined = batch.answers.compactMap { answer in
            if case .joined(let admission) = answer.content { (answer, admission) } else { nil }
        }
        #expect(joined.count == 100)
        for (answer, admission) in joined {
            #expect(admission.snapshot?.count == 100)
            #expect(admission.snapshot?.listed == 100)
            // behind all that its list has: nobody in it is told to it again
            #expect(answer.place == batch.entries.count)
        }
        #expect(batch.listedBytes == joined.first?.1.snapshot?.list.readableBytes)
    }

    @Test func `a join is before what its own client does next`() {
        let words = Self.room(
            commands: [
                .join(.make()), .join(.make("bob", connection: 2)), .publish(.make()),
                .join(.make("cat", connection: 3)),
            ]
        ).1
        #expect(
            words == [
                "join ann", "join bob", "attach 1 2/2", "attach 2 2/2", "other", "other", "join cat", "attach 3 3/3",
            ]
        )
    }

    @Test func `of many updates in a batch the newest is told`() {
        let commands: [RoomCommand] =
            [.join(.make())] + (1...150).map { .update(.make(data: "\($0)")) } + [.leave(Self.ann, .make(1))]
        var room = Self.room(commands: []).0
        for command in commands { _ = room.enqueue(command) }
        let entries = room.batch()?.entries ?? []
        let newest = Sender.make(data: "150")
        #expect(
            entries.map(\.content) == [
                .presence(.join, .make()), .presence(.update, newest), .presence(.leave, newest),
            ]
        )
        #expect(entries.map(\.stamp.sender) == [.make(), newest, newest])
    }

    @Test func `an update after a rejoin is told behind it`() {
        let commands: [RoomCommand] = [
            .join(.make()), .update(.make(data: "1")), .leave(Self.ann, .make(1)), .join(.make(data: "1")),
            .update(.make(data: "2")),
        ]
        let words = Self.room(commands: commands).1.filter { $0.hasSuffix("ann") }
        #expect(words == ["join ann", "update ann", "leave ann", "join ann", "update ann"])
    }

    @Test func `a room gets its first member only where the channel has a place for it`() {
        var (room, _) = Self.room("room", commands: [])
        _ = room.enqueue(.join(.make()))
        #expect(room.mayGetMembers)
        #expect(room.steps(hasPlace: false).map(Self.word) == ["too_many_rooms"])
        #expect(!room.mayGetMembers)
        _ = room.enqueue(.join(.make()))
        #expect(room.steps().map(Self.word) == ["attach 1 -"])
        _ = room.enqueue(.join(.make("bob", connection: 2)))
        #expect(!room.mayGetMembers)
        #expect(room.steps(hasPlace: false).map(Self.word) == ["attach 2 -"])
    }
}
