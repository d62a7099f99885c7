import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Where a subscriber starts: the newest message is 20, the store holds 11 to 20, the window those above 15.
struct RoomGrantTests {
    private static let epoch = Epoch(rawValue: 7)

    private static func room(history: Int? = 10, oldest: UInt64 = 11, hasExpired: Bool = false) -> Room {
        let channel = RoomChannel(settings: .make(history: history))
        var room = Room(key: .make(), channel: channel, epoch: Self.epoch, limits: BrokerLimits())
        _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
        _ = room.advance()
        room.opened(.make(lastSeq: 20, oldestSeq: oldest, hasExpired: hasExpired))
        return room
    }

    private static func grant(
        _ start: JoinCommand.Start,
        history: Int? = 10,
        oldest: UInt64 = 11,
        hasExpired: Bool = false,
        windowAfter: UInt64 = 15
    ) -> JoinGrant {
        RoomView(Self.room(history: history, oldest: oldest, hasExpired: hasExpired))
            .grant(.make(start: start), seq: 20, windowAfter: windowAfter)
    }

    @Test(
        arguments: [(0, .none), (3, .history(after: 17)), (50, .history(after: 10))] as [(Int, JoinGrant.Replay)]
    )
    func `a live start gets as much history as there is`(count: Int, replay: JoinGrant.Replay) {
        #expect(Self.grant(.live(historyCount: count)) == JoinGrant(epoch: Self.epoch, seq: 20, replay: replay))
    }

    @Test func `what a read found trimmed is a gap for the next to come back`() {
        var room = Self.room(history: 100, oldest: 1)
        room.storeTrimmed(oldest: 6, hasExpired: true)
        let start = JoinCommand.Start.since(Position(epoch: Self.epoch, seq: 2))
        let grant = RoomView(room).grant(.make(start: start), seq: 20, windowAfter: 20)
        #expect(grant.recovered == false)
        #expect(grant.gap == Gap(from: 3, through: 5, reason: .expired))
        #expect(grant.replay == .store(after: 5))
    }

    @Test(
        arguments: [
            // below what was pruned, of which the window has some still
            (3, false, Gap(from: 4, through: 17, reason: .trimmed), .window(after: 17)),
            (16, false, Gap(from: 17, through: 17, reason: .trimmed), .window(after: 17)),
            (17, true, nil, .window(after: 17)), (19, true, nil, .window(after: 19)),
        ] as [(UInt64, Bool, Gap?, JoinGrant.Replay)]
    )
    func `what was pruned is a gap, also where the window has it still`(
        seq: UInt64,
        recovered: Bool,
        gap: Gap?,
        replay: JoinGrant.Replay
    ) {
        var room = Self.room(history: 100, oldest: 11)
        room.pruned(through: Position(epoch: Self.epoch, seq: 17))
        let start = JoinCommand.Start.since(Position(epoch: Self.epoch, seq: seq))
        let grant = RoomView(room).grant(.make(start: start), seq: 20, windowAfter: 15)
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: recovered, gap: gap, replay: replay))
        let live = RoomView(room).grant(.make(start: .live(historyCount: 50)), seq: 20, windowAfter: 15)
        #expect(live.replay == .history(after: 17))
    }

    @Test func `what has expired above what was pruned is a gap with that reason`() {
        var room = Self.room(history: 100, oldest: 11)
        room.pruned(through: Position(epoch: Self.epoch, seq: 12))
        room.storeTrimmed(oldest: 15, hasExpired: true)
        let start = JoinCommand.Start.since(Position(epoch: Self.epoch, seq: 3))
        let grant = RoomView(room).grant(.make(start: start), seq: 20, windowAfter: 18)
        #expect(grant.gap == Gap(from: 4, through: 14, reason: .expired) && grant.replay == .store(after: 14))
    }

    @Test func `what was pruned of another log says nothing of this one`() {
        var room = Self.room(history: 100, oldest: 1)
        room.pruned(through: Position(epoch: Epoch(rawValue: 8), seq: 17))
        #expect(room.prunedThrough == 0 && room.oldestStored == 1)
    }

    @Test func `without a store there is no history`() {
        #expect(Self.grant(.live(historyCount: 5), history: nil).replay == .none)
    }

    @Test(
        arguments: [
            (20, true, nil, .none), (17, true, nil, .window(after: 17)), (15, true, nil, .window(after: 15)),
            (14, true, nil, .store(after: 14)), (10, true, nil, .store(after: 10)),
            (9, false, Gap(from: 10, through: 10, reason: .trimmed), .store(after: 10)),
            (0, false, Gap(from: 1, through: 10, reason: .trimmed), .store(after: 10)),
            (21, false, Gap(from: 1, through: 20, reason: .epoch), .none),
        ] as [(UInt64, Bool, Gap?, JoinGrant.Replay)]
    )
    func `since is recovered from the window or the store, what is gone is a gap`(
        seq: UInt64,
        recovered: Bool,
        gap: Gap?,
        replay: JoinGrant.Replay
    ) {
        let grant = Self.grant(.since(Position(epoch: Self.epoch, seq: seq)))
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: recovered, gap: gap, replay: replay))
    }

    @Test(arguments: [nil, Epoch(rawValue: 8)] as [Epoch?])
    func `another epoch replays nothing`(epoch: Epoch?) {
        let grant = Self.grant(.since(Position(epoch: epoch, seq: 18)))
        let gap = Gap(from: 1, through: 20, reason: .epoch)
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: false, gap: gap))
    }

    @Test(arguments: [10, 100, 5], [false, true])
    func `what is gone has expired where the store says so, however many it could hold`(history: Int, hasExpired: Bool)
    {
        let since = JoinCommand.Start.since(Position(epoch: Self.epoch, seq: 0))
        let grant = Self.grant(since, history: history, hasExpired: hasExpired)
        #expect(grant.gap?.reason == (hasExpired ? .expired : .trimmed))
    }

    @Test func `a place in the middle of a batch is told by what the whole batch has pushed out`() {
        var room = Self.room(history: 10, oldest: 11)
        for number in 21...25 { _ = room.enqueue(.publish(.make("\(number)"))) }
        _ = room.takeBatch(.make())
        room.committed(AppendReceipt(oldestSeq: 16))
        let start = JoinCommand.Start.since(Position(epoch: Self.epoch, seq: 2))
        let grant = RoomView(room).grant(.make(start: start), seq: 21, windowAfter: 25)
        #expect(grant.gap == Gap(from: 3, through: 15, reason: .trimmed))
    }

    @Test func `a store that has nothing leaves the window`() {
        let grant = Self.grant(.since(Position(epoch: Self.epoch, seq: 4)), oldest: 21, hasExpired: true)
        #expect(grant.gap == Gap(from: 5, through: 15, reason: .expired))
        #expect(grant.replay == .window(after: 15))
    }

    private static let window = JoinGrant.Replay.window(after: 15)
    private static func slow(_ from: UInt64, _ through: UInt64) -> Gap {
        Gap(from: from, through: through, reason: .slow)
    }

    @Test(
        arguments: [
            (18, OverflowPolicy.disconnect, nil, .window(after: 18)), (12, .disconnect, nil, .store(after: 12)),
            (12, .dropOldest, nil, .store(after: 12)), (12, .latest, nil, .store(after: 12)),
            (20, .latest, nil, .none), (3, .disconnect, slow(4, 10), .store(after: 10)),
            (3, .dropOldest, slow(4, 10), .store(after: 10)), (3, .latest, slow(4, 20), .none),
        ] as [(UInt64, OverflowPolicy, Gap?, JoinGrant.Replay)]
    )
    func `a laggard with history is served from the store first`(
        seq: UInt64,
        policy: OverflowPolicy,
        gap: Gap?,
        replay: JoinGrant.Replay
    ) {
        let grant = Self.grant(.resync(seq: seq, policy))
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: nil, gap: gap, replay: replay))
    }

    @Test(
        arguments: [
            (18, OverflowPolicy.disconnect, nil, .window(after: 18)), (12, .disconnect, slow(13, 15), window),
            (12, .dropOldest, slow(13, 15), window), (12, .latest, slow(13, 20), .none), (15, .latest, nil, window),
        ] as [(UInt64, OverflowPolicy, Gap?, JoinGrant.Replay)]
    )
    func `a laggard without history has the window`(
        seq: UInt64,
        policy: OverflowPolicy,
        gap: Gap?,
        replay: JoinGrant.Replay
    ) {
        let room = Self.room(history: nil)
        let grant = RoomView(room).grant(.make(start: .resync(seq: seq, policy)), seq: 20, windowAfter: 15)
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: nil, gap: gap, replay: replay))
    }
}
