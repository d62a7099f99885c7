import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Which rooms have most messages a second.
@OneThread
struct RoomActivityTests {
    @Test func `the rate is that of the last ten to twenty seconds`() {
        var activity = RoomActivity()
        #expect(activity.rate(at: 1_000_000) == 0)
        activity.add(20, at: 1_000_000)
        activity.add(10, at: 1_005_000)
        #expect(activity.rate(at: 1_005_000) == 2)
        #expect(activity.rate(at: 1_010_000) == 3)
        activity.add(30, at: 1_015_000)
        #expect(activity.rate(at: 1_015_000) == 4)
        #expect(activity.rate(at: 1_020_000) == 3)
        #expect(activity.rate(at: 1_030_000) == 0)
        activity.add(1, at: 1_095_000)
        #expect(activity.rate(at: 1_090_000) == 0.1)
        // a clock that is set back
        activity.add(10, at: 500_000)
        #expect(activity.rate(at: 500_000) == 1)
    }

    @Test(arguments: [1, 2])
    func `the busiest of many rooms are named`(shards: Int) async {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect().joined("room")
        // as many rooms as one connection may be in
        for number in 0..<3 {
            let rooms = (0..<900).map { "\"r\(number * 900 + $0)\"" }.joined(separator: ",")
            _ = broker.connect().joined("room").post(#""type":"subscribe","rooms":[\#(rooms)]"#)
        }
        for (room, count) in [("r7", 3), ("r2400", 9), ("r1300", 5), ("nobody", 20)] {
            for number in 0..<count { ann.publish(room, "\(number)") }
        }
        let busiest = await broker.ask { await $0.busiestRooms(in: .make(), naming: 2) }
        #expect(busiest.map(\.name) == ["r2400", "r1300"])
        #expect(busiest.first?.members == 1)
        let all = await broker.ask { await $0.busiestRooms(in: .make(), naming: 1_000) }
        #expect(all.map(\.name) == ["r2400", "r1300", "r7"])
        #expect(all.allSatisfy { $0.messagesPerSecond ?? 0 > 0 })
        #expect(await broker.ask { await $0.busiestRooms(in: .make("nowhere"), naming: 9) } == [])
        let detail = await broker.ask { await $0.room(.make("r7")) }
        #expect(detail?.messagesPerSecond == all.last?.messagesPerSecond)
    }
}
