import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Redactions and clears in the order of a room.
struct RoomRedactionTests {
    private static let clear = ClearCommand(origin: Origin(connection: .make(), callback: 0), sender: .make("mod"))

    private static func room(history: Int? = 100, lastSeq: UInt64 = 4) -> Room {
        let channel = RoomChannel(settings: .make(history: history))
        var room = Room(key: .make(), channel: channel, epoch: Epoch(rawValue: 7), limits: BrokerLimits())
        guard history != nil else {
            for _ in 0..<lastSeq { _ = room.enqueue(.publish(.make())) }
            _ = room.steps()
            return room
        }
        _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
        _ = room.advance()
        room.opened(.make(lastSeq: lastSeq))
        _ = room.steps()
        return room
    }

    @Test(arguments: [100, nil])
    func `a redaction has a place of its own`(history: Int?) {
        var room = Self.room(history: history)
        _ = room.enqueue(.redact(.make(2)))
        let (command, receipt) = (RedactCommand.make(2), RedactionReceipt(seq: 5, targetSeq: 2, targetID: .make(2)))
        #expect(
            room.steps() == [
                .entry(.redaction(command.tombstone, reason: nil), seq: 5, excluding: nil),
                .answer(.moderated(.redacted(receipt)), to: command.origin.connection),
            ]
        )
        #expect(room.redactions.seqs == [5])
        #expect(room.phase == (history == nil ? .ready : .committing))
    }

    @Test(arguments: [RedactCommand.make(2, epoch: 8), .make(5)])
    func `what was looked up in another log is not redacted`(command: RedactCommand) {
        var room = Self.room()
        _ = room.enqueue(.redact(command))
        guard case .refused(command.origin, let error)? = room.steps().first?.answer else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.code == .messageNotFound)
        #expect(room.lastSeq == 4)
    }

    @Test(arguments: [100, nil])
    func `what was looked up before another redaction is looked up again`(history: Int?) {
        var room = Self.room(history: history)
        var late = RedactCommand.make(2)
        late.newest = 4
        _ = room.enqueue(.redact(.make(2)))
        _ = room.enqueue(.redact(late))
        let steps = room.steps()
        #expect(steps.last == .answer(.located, to: late.origin.connection))
        #expect(steps.count == 3)
        #expect(room.lastSeq == 5)
    }

    @Test func `history counts messages, not redactions`() {
        var room = Self.room()
        room.logLost()
        _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
        _ = room.advance()
        room.opened(.make(lastSeq: 20, redactions: [11, 19]))
        let grant = RoomView(room).grant(.make(start: .live(historyCount: 3)), seq: 20, windowAfter: 20)
        #expect(grant.replay == .history(after: 16, redactions: [19]))
    }

    @Test func `a clear waits for what came before, and what comes behind waits for it`() {
        var room = Self.room()
        _ = room.enqueue(.publish(.make("before")))
        _ = room.enqueue(.clear(Self.clear))
        _ = room.enqueue(.publish(.make("behind", messageID: 3)))
        #expect(room.batch()?.entries.count == 1)
        #expect(room.advance() == .none)
        room.committed(AppendReceipt(oldestSeq: 1))
        #expect(room.advance() == .clear)
        #expect(room.advance() == .none)
        let opens = room.cleared(epoch: Epoch(rawValue: 9))
        #expect(opens)
        #expect(room.advance() == .none)
        room.opened(.make(epoch: 8))
        let batch = room.batch()
        #expect(batch?.answers.compactMap(\.clearedEpoch) == [8])
        #expect(batch?.answers[1] == .cleared(for: Self.clear, epoch: 8))
        #expect(batch?.entries.map(\.content) == [.message(PublishCommand.make("behind").message)])
        #expect(batch?.entries.map(\.seq) == [1])
    }

    @Test func `without history it is cleared too, and has another epoch`() {
        var room = Self.room(history: nil)
        _ = room.enqueue(.clear(Self.clear))
        #expect(room.advance() == .clear)
        let opens = room.cleared(epoch: Epoch(rawValue: 9))
        #expect(!opens)
        let answers = room.answers()
        #expect(answers.compactMap(\.clearedEpoch) == [9])
        #expect(answers.last == .cleared(for: Self.clear, epoch: 9))
        #expect(answers.count == 2)
        #expect((room.lastSeq, room.epoch.rawValue) == (0, 9))
    }

    @Test func `who comes back from before a clear is told so`() {
        var room = Self.room(history: nil)
        _ = room.enqueue(.clear(Self.clear))
        _ = room.advance()
        _ = room.cleared(epoch: Epoch(rawValue: 9))
        _ = room.enqueue(.publish(.make()))
        _ = room.steps()
        for (epoch, reason) in [(7, .cleared), (5, .epoch)] as [(UInt64, Gap.Reason)] {
            let join = JoinCommand.make(start: .since(Position(epoch: Epoch(rawValue: epoch), seq: 1)))
            let grant = RoomView(room).grant(join, seq: 1, windowAfter: 0)
            #expect(grant.gap == Gap(from: 1, through: 1, reason: reason))
            #expect(grant.recovered == false)
        }
    }

    @Test func `a clear that fails is told, and the log is read again`() {
        var room = Self.room()
        _ = room.enqueue(.clear(Self.clear))
        _ = room.advance()
        room.clearFailed()
        #expect(room.advance() == .open)
        room.opened(.make(lastSeq: 4))
        guard case .refused(Self.clear.origin, let error)? = room.steps().first?.answer else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.code == .storageUnavailable)
        #expect(room.lastSeq == 4)
    }

    @Test func `a log that cannot be opened behind a clear fails it`() {
        var room = Self.room()
        _ = room.enqueue(.clear(Self.clear))
        _ = room.advance()
        _ = room.cleared(epoch: Epoch(rawValue: 9))
        room.openFailed()
        #expect(room.phase == .degraded)
        guard case .refused(Self.clear.origin, _)? = room.steps().first?.answer else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func `settings that change while a room is cleared take effect behind it`() {
        var room = Self.room()
        _ = room.enqueue(.clear(Self.clear))
        _ = room.advance()
        let channel = RoomChannel(settings: .make(history: nil))
        room.channelChanged(channel, epoch: Epoch(rawValue: 3))
        #expect(room.hasHistory)
        _ = room.cleared(epoch: Epoch(rawValue: 9))
        room.opened(.make(epoch: 8))
        room.adoptNextSettings()
        #expect(!room.hasHistory)
        #expect(room.answers().compactMap(\.clearedEpoch) == [3])
    }
}

extension RoomAnswer {
    /// The epoch that subscribers are told of.
    fileprivate var clearedEpoch: UInt64? {
        if case .cleared(let cleared) = self.content { cleared.epoch.rawValue } else { nil }
    }

    /// What the moderator is answered.
    fileprivate static func cleared(for clear: ClearCommand, epoch: UInt64) -> RoomAnswer {
        RoomAnswer(to: clear.origin.connection, .moderated(.cleared(Epoch(rawValue: epoch))))
    }
}
