import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// The phases of a room with its commands and its store's answers.
struct RoomTests {
    private static let phases: [Room.Phase] = [.closed, .opening, .ready, .committing, .clearing, .degraded]

    private static func room(
        _ phase: Room.Phase = .ready,
        name: String = "room",
        history: Int? = 100,
        limits: BrokerLimits = .init()
    ) -> Room {
        let channel = RoomChannel(settings: .make(history: history))
        var room = Room(key: .make(name), channel: channel, epoch: Epoch(rawValue: 1), limits: limits)
        guard phase != .closed else { return room }
        _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
        _ = room.advance()
        guard phase != .opening else { return room }
        if phase == .degraded { room.openFailed() } else { room.opened(.make(lastSeq: 4)) }
        _ = room.batch()
        if phase == .clearing {
            _ = room.enqueue(.clear(ClearCommand(origin: Self.origin, sender: .make())))
            _ = room.advance()
        }
        guard phase == .committing else { return room }
        _ = room.enqueue(.publish(.make("0")))
        _ = room.batch()
        return room
    }

    /// What the room does next.
    private static func next(_ room: inout Room) -> String {
        switch room.advance() {
        case .none: "none"
        case .open: "open"
        case .clear: "clear"
        case .take: room.takeBatch(.make()).needsCommit ? "commit" : "seal"
        }
    }

    private static let origin = Origin(connection: .make(), callback: 1)

    private static let commands: [(String, RoomCommand)] = [
        ("publish", .publish(.make())), ("ephemeral", .publish(.make(ephemeral: true))), ("join", .join(.make())),
        ("since", .join(.make(start: .since(Position(epoch: nil, seq: 0))))),
        ("leave", .leave(ClientID("ann"), .make())), ("linger", .linger(ClientID("ann"), .make())),
        ("grace", .graceEnded(ClientID("ann"))), ("update", .update(.make())),
        ("rename", .rename(.make())), ("members", .members(origin)),
        ("history", .history(origin, HistoryRequest(room: RoomName("room")))),
        ("locate", .locate(origin)), ("redact", .redact(.make())),
        ("clear", .clear(ClearCommand(origin: origin, sender: .make()))),
    ]

    private static let needStore = ["publish", "since", "history", "locate", "redact"]
    /// They end in an append.
    private static let stored = ["publish", "redact"]

    @Test(arguments: Self.phases)
    func `each command goes its way in each phase`(phase: Room.Phase) {
        for (name, command) in Self.commands {
            var room = Self.room(phase)
            #expect(room.phase == phase)
            #expect(room.enqueue(command) == nil)
            let expected =
                switch phase {
                case .opening, .committing, .clearing: "none"
                case _ where name == "clear": "clear"
                case .closed: "open"
                case .ready: Self.stored.contains(name) ? "commit" : "seal"
                case .degraded: Self.needStore.contains(name) ? "open" : "seal"
                }
            #expect(Self.next(&room) == expected, "\(name)")
        }
    }

    @Test(arguments: Self.phases)
    func `an answer of the store that nobody waits for changes nothing`(phase: Room.Phase) {
        var room = Self.room(phase)
        if phase != .opening {
            room.opened(.make(epoch: 9, lastSeq: 9))
            room.openFailed()
        }
        if phase != .committing {
            room.committed(AppendReceipt(oldestSeq: 9))
            room.commitFailed()
        }
        if phase != .clearing {
            let opens = room.cleared(epoch: Epoch(rawValue: 9))
            #expect(!opens)
            room.clearFailed()
        }
        #expect(room.phase == phase)
        #expect(room.epoch.rawValue != 9)
        #expect(room.lastSeq != 9)
    }

    @Test func `a room without history needs no store`() {
        var room = Self.room(.closed, history: nil)
        _ = room.enqueue(.publish(.make()))
        #expect(room.phase == .ready)
        #expect(Self.next(&room) == "seal")
        #expect(room.lastSeq == 1)
    }

    @Test func `messages are numbered in their order, ephemeral ones are not`() {
        var room = Self.room()
        for number in 0..<3 { _ = room.enqueue(.publish(.make("\(number)", ephemeral: number == 1))) }
        #expect(room.batch()?.entries.map(\.seq) == [5, 0, 6])
    }

    @Test func `what gathers during a commit is taken at once behind it`() {
        var room = Self.room(.committing)
        for number in 0..<3 { _ = room.enqueue(.publish(.make("\(number)"))) }
        #expect(room.advance() == .none)
        room.committed(AppendReceipt(oldestSeq: 2))
        #expect(room.batch()?.entries.count == 3)
        #expect(room.phase == .committing)
        #expect(room.oldestStored == 2)
    }

    @Test func `a log goes on under the name that its first append gave it`() {
        var room = Self.room(.committing)
        let log = LogID(rawValue: 77, generation: 1)
        room.committed(AppendReceipt(oldestSeq: 1, log: log))
        #expect(room.log == log)
        _ = room.enqueue(.publish(.make("1")))
        #expect(room.batch() != nil)
        room.committed(AppendReceipt(oldestSeq: 1))
        #expect(room.log == log)
    }

    @Test(
        arguments: [
            (["ann"], "ann"), (["ann", "ann"], "ann"), (["ann", "bob"], nil), (["ann", "bob", "ann"], nil),
            ([nil], nil),
            (["ann", nil], nil),
        ] as [([String?], String?)]
    )
    func `the author of all stored messages of a batch pays for its commit`(authors: [String?], payer: String?) {
        var room = Self.room()
        var ephemeral = PublishCommand.make(ephemeral: true)
        ephemeral.author = .user("eve")
        _ = room.enqueue(.publish(ephemeral))
        for author in authors {
            var publish = PublishCommand.make()
            publish.author = author.map { .user($0) }
            _ = room.enqueue(.publish(publish))
        }
        let key = room.key
        #expect(room.batch()?.payer(in: key) == payer.map { .author(.user($0), key.channel) } ?? .room(key))
    }

    @Test func `a batch ends where it is full`() {
        var room = Self.room()
        let large = String(repeating: "1", count: 60_000)
        for _ in 0..<5 { _ = room.enqueue(.publish(.make(large))) }
        #expect(room.batch()?.entries.count == 4)
        room.committed(AppendReceipt(oldestSeq: 1))
        #expect(room.batch()?.entries.count == 1)
    }

    @Test func `after a failed commit the numbers are those of the log as it is read again`() {
        var room = Self.room(.committing)
        #expect(room.lastSeq == 5)
        room.commitFailed()
        #expect(room.lastSeq == 4)
        #expect(room.phase == .closed)
        _ = room.enqueue(.publish(.make()))
        #expect(room.advance() == .open)
        room.opened(.make(epoch: 7, lastSeq: 5))
        #expect(room.batch()?.entries.map(\.seq) == [6])
    }

    @Test(
        arguments: [(7, 4, nil), (7, 5, false), (8, 0, true)] as [(UInt64, UInt64, Bool?)]
    )
    func `members are told when a log is not what they have seen`(epoch: UInt64, seq: UInt64, isNewEpoch: Bool?) {
        var room = Self.room()
        _ = room.enqueue(.join(.make()))
        _ = room.batch()
        room.logLost()
        _ = room.enqueue(.publish(.make()))
        _ = room.advance()
        room.opened(.make(epoch: epoch, lastSeq: seq))
        let told = room.answers().compactMap { answer -> Bool? in
            if case .logReread(let isNewEpoch, seq) = answer.content { isNewEpoch } else { nil }
        }
        #expect(told == (isNewEpoch.map { [$0] } ?? []))
    }

    @Test func `while the store is away what needs it is refused in its turn`() {
        var room = Self.room(.opening)
        let key = UniqueID.make(3)
        _ = room.enqueue(.publish(.make(callback: nil, messageID: 3)))
        _ = room.enqueue(.publish(.make("e", ephemeral: true)))
        _ = room.enqueue(.history(Self.origin, HistoryRequest(room: RoomName("room"))))
        room.openFailed()
        let steps = room.steps().dropFirst()
        #expect(steps.map { $0.error?.code } == [.storageUnavailable, nil, nil, .storageUnavailable])
        if case .refused(_, let error)? = steps.first?.answer {
            #expect((error.room, error.messageID) == (RoomName("room"), key))
        }
        #expect(room.phase == .degraded)
    }

    @Test func `what waits is bounded, and room is made by taking it`() {
        var limits = BrokerLimits()
        limits.backlogPerRoom = 100
        var room = Self.room(.committing, limits: limits)
        let text = String(repeating: "1", count: 50)
        #expect(room.enqueue(.publish(.make(text))) == nil)
        let refused = room.enqueue(.publish(.make(text)))
        #expect(refused?.error?.code == .storageUnavailable)
        #expect(refused?.error?.retryAfterMilliseconds != nil)
        room.committed(AppendReceipt(oldestSeq: 1))
        _ = room.batch()
        #expect(room.enqueue(.publish(.make(text))) == nil)
    }

    @Test func `a repeat is a duplicate, another body under its key a conflict`() {
        var room = Self.room()
        _ = room.enqueue(.publish(.make("1", messageID: 3)))
        _ = room.enqueue(.publish(.make("1", messageID: 3)))
        _ = room.enqueue(.publish(.make("2", messageID: 3)))
        _ = room.enqueue(.publish(.make("2", messageID: 4)))
        let batch = room.batch()
        #expect(batch?.entries.map(\.seq) == [5, 6])
        let words = batch?.answers.map { answer in
            switch answer.content {
            case .acknowledged(let first): "\(first.isDuplicate ? "duplicate" : "message") \(first.seq ?? 0)"
            case .refused(_, let error): error.code.rawValue
            default: "other"
            }
        }
        #expect(words == ["message 5", "duplicate 5", "message_id_conflict", "message 6"])
    }

    @Test func `a repeat gets the stamp of the first one`() {
        var room = Self.room()
        for _ in 0..<2 { _ = room.enqueue(.publish(.make("1", messageID: 3))) }
        let stamps = room.answers().compactMap { answer -> UniqueID? in
            if case .acknowledged(let acknowledgement) = answer.content { acknowledgement.stamp.id } else { nil }
        }
        #expect(stamps.count == 2 && Set(stamps).count == 1)
    }

    @Test func `the same commands in the same turns make the same batches`() {
        let batches = (0..<2).map { _ in
            var room = Self.room()
            var batches: [RoomBatch] = []
            for (number, (name, command)) in Self.commands.enumerated() where name != "clear" {
                _ = room.enqueue(command)
                guard case .take = room.advance() else { continue }
                batches.append(room.takeBatch(.make(Int64(number), later: Int64(number))))
                room.committed(AppendReceipt(oldestSeq: 1))
            }
            return batches
        }
        #expect(batches[0].count == Self.commands.count - 1)
        #expect(batches[0] == batches[1])
    }

    @Test func `after a failed commit its keys are forgotten`() {
        var room = Self.room()
        _ = room.enqueue(.publish(.make("1", messageID: 3)))
        _ = room.batch()
        room.commitFailed()
        #expect(room.keys.isEmpty)
    }

    @Test func `a room is dormant when nobody is there and nothing is under way`() {
        #expect(Self.room(.ready).isDormant)
        #expect(!Self.room(.opening).isDormant)
        #expect(!Self.room(.committing).isDormant)
        var room = Self.room()
        _ = room.enqueue(.join(.make()))
        #expect(!room.isDormant)
        _ = room.batch()
        #expect(!room.isDormant)
    }
}
