import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Where a subscriber starts whose token lets it read so many of the newest messages: the newest is 20, the store holds 11
/// to 20, the window those above 15.
struct RoomHistoryDepthTests {
    private static let epoch = Epoch(rawValue: 7)

    private static func grant(_ start: JoinCommand.Start, depth: Int, windowAfter: UInt64 = 15) -> JoinGrant {
        var room = Room(
            key: .make(),
            channel: RoomChannel(settings: .make(history: 10)),
            epoch: Self.epoch,
            limits: BrokerLimits()
        )
        _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
        _ = room.advance()
        room.opened(.make(lastSeq: 20, oldestSeq: 11))
        var join = JoinCommand.make(start: start)
        join.historyDepth = depth
        return RoomView(room).grant(join, seq: 20, windowAfter: windowAfter)
    }

    private static func gap(_ from: UInt64, _ through: UInt64, _ reason: Gap.Reason) -> Gap {
        Gap(from: from, through: through, reason: reason)
    }

    @Test(
        arguments: [
            (20, 0, nil, .none), (17, 0, gap(18, 20, .denied), .none),
            (17, 2, gap(18, 18, .denied), .window(after: 18)),
            (17, 3, nil, .window(after: 17)), (12, 5, gap(13, 15, .denied), .store(after: 15)),
            (12, 8, nil, .store(after: 12)), (12, 2, gap(13, 18, .denied), .store(after: 18)),
            (3, 9, gap(4, 11, .denied), .store(after: 11)), (3, 10, gap(4, 10, .trimmed), .store(after: 10)),
            (3, 11, gap(4, 10, .trimmed), .store(after: 10)), (3, 0, gap(4, 20, .denied), .none),
            (3, .max, gap(4, 10, .trimmed), .store(after: 10)), (21, 3, gap(1, 20, .epoch), .none),
        ] as [(UInt64, Int, Gap?, JoinGrant.Replay)]
    )
    func `since is capped, and the gap is exact`(seq: UInt64, depth: Int, gap: Gap?, replay: JoinGrant.Replay) {
        let grant = Self.grant(.since(Position(epoch: Self.epoch, seq: seq)), depth: depth)
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, recovered: gap == nil, gap: gap, replay: replay))
    }

    @Test(
        arguments: [
            (5, 0, .none), (5, 3, .history(after: 17)), (5, 9, .history(after: 15)), (50, 30, .history(after: 10)),
        ]
            as [(Int, Int, JoinGrant.Replay)]
    )
    func `a live start gets the lower of what it asks for and what it may`(
        count: Int,
        depth: Int,
        replay: JoinGrant.Replay
    ) {
        #expect(Self.grant(.live(historyCount: count), depth: depth).replay == replay)
    }

    @Test(arguments: [0, 1, 5])
    func `a laggard is not asked for its token`(depth: Int) {
        let grant = Self.grant(.resync(seq: 12, .disconnect), depth: depth)
        #expect(grant == JoinGrant(epoch: Self.epoch, seq: 20, replay: .store(after: 12)))
    }
}
