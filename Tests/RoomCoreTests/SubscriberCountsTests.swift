import RoomModel
import Testing

@testable import RoomCore

struct SubscriberCountsTests {
    private static func connection(_ shard: Int, of node: UInt32) -> ConnectionRef {
        ConnectionRef(shard: shard, number: 1, node: NodeNumber(rawValue: node))
    }

    @Test func `shards of two nodes are counted apart`() {
        var counts = SubscriberCounts()
        counts.add(Self.connection(1, of: 7), .jsonLines)
        counts.add(Self.connection(1, of: 8), .webSocket)
        counts.add(Self.connection(1, of: 8), .jsonLines)
        #expect(counts[1, of: NodeNumber(rawValue: 7)] == 1)
        #expect(counts[1, of: NodeNumber(rawValue: 8)] == 2)
        #expect(counts[0, of: NodeNumber(rawValue: 8)] == 0)
        #expect(counts[1, of: .alone] == 0)
        #expect(counts[1, of: NodeNumber(rawValue: 9)] == 0)
        #expect(counts.total == 3)
        counts.remove(Self.connection(1, of: 8), .webSocket)
        #expect(counts[1, of: NodeNumber(rawValue: 8)] == 1)
        #expect(counts.formats.contains(.jsonLines) && !counts.formats.contains(.webSocket))
    }

    @Test func `those who ask to be shown the members are counted`() {
        var counts = SubscriberCounts()
        counts.add(Self.connection(0, of: 0), .jsonLines, asks: true)
        counts.add(Self.connection(1, of: 0), .jsonLines)
        #expect(counts.asking == 1)
        counts.asksChanged(from: false, to: true)
        #expect(counts.asking == 2)
        counts.asksChanged(from: true, to: true)
        counts.remove(Self.connection(0, of: 0), .jsonLines, asks: true)
        counts.asksChanged(from: true, to: false)
        #expect(counts.asking == 0 && counts.total == 1)
    }

    @Test func `nothing is left of a node that nobody is connected to`() {
        var counts = SubscriberCounts()
        counts.add(Self.connection(0, of: 0), .jsonLines)
        let before = counts
        for node in 1...50 as ClosedRange<UInt32> {
            counts.add(Self.connection(2, of: node), .jsonLines)
            #expect(counts != before)
            counts.remove(Self.connection(2, of: node), .jsonLines)
        }
        #expect(counts == before)
        #expect(counts[0, of: .alone] == 1)
    }
}
