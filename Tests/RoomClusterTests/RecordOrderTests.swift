import NIOCore
import RoomCore
import Testing

@testable import RoomCluster

struct RecordOrderTests {
    private func record(_ place: UInt64) -> RecordOrder.Delivered {
        RecordOrder.Delivered(
            place: place,
            nanoseconds: Int64(place) * 1_000_999,
            bytes: ByteBuffer(string: "\(place)")
        )
    }

    private func told(_ place: UInt64) -> PartitionLogEvent {
        .record(LogOffset(rawValue: place), time: Int64(place), bytes: ByteBuffer(string: "\(place)"))
    }

    private func erased(_ place: UInt64, before next: UInt64) -> PartitionLogEvent {
        .record(LogOffset(rawValue: place), time: Int64(next), bytes: nil)
    }

    @Test
    func `without a hole each record is told as it comes`() {
        var order = RecordOrder(behind: 4)
        #expect(order.delivered(self.record(5)) == [self.told(5)])
        #expect(order.delivered(self.record(6)) == [self.told(6)])
        #expect(order.place == 6)
    }

    @Test
    func `a place that was told before is not told again`() {
        var order = RecordOrder(behind: 4)
        #expect(order.delivered(self.record(4)) == [])
        #expect(!order.isWaiting)
    }

    @Test
    func `what is behind a hole waits, and erased places are told`() {
        var order = RecordOrder(behind: 0)
        #expect(order.delivered(self.record(1)) == [self.told(1)])
        #expect(order.delivered(self.record(4)) == [])
        #expect(order.delivered(self.record(5)) == [])
        #expect(order.isWaiting && order.place == 1)
        #expect(order.needsAnswer && order.wanted == [])
        #expect(order.answered(first: 1, last: 9, erased: [2, 3, 7], now: .now()) == [])
        #expect(!order.needsAnswer && order.wanted == [2, 3])
        #expect(order.replaced(2, by: nil) == [self.erased(2, before: 4)])
        #expect(order.wanted == [3])
        #expect(order.replaced(3, by: nil) == [self.erased(3, before: 4), self.told(4), self.told(5)])
        #expect(!order.isWaiting)
        // An erased place stays erased: the stream is asked once.
        #expect(order.delivered(self.record(6)) == [self.told(6)])
        #expect(order.delivered(self.record(8)) == [])
        #expect(!order.needsAnswer)
        #expect(order.replaced(7, by: nil) == [self.erased(7, before: 8), self.told(8)])
    }

    @Test
    func `what stands in the place of an erased record is told there, with its own time`() {
        var order = RecordOrder(behind: 1)
        #expect(order.delivered(self.record(5)) == [])
        #expect(order.answered(first: 1, last: 9, erased: [2, 3, 4], now: .now()) == [])
        // in whatever order the answers come
        #expect(order.replaced(4, by: self.record(4)) == [])
        #expect(order.replaced(2, by: self.record(2)) == [self.told(2)])
        #expect(order.wanted == [3])
        #expect(order.replaced(3, by: self.record(3)) == [self.told(3), self.told(4), self.told(5)])
        // a second answer, and one about a place that is not erased
        #expect(order.replaced(3, by: nil) == [])
        #expect(order.replaced(6, by: self.record(6)) == [])
        #expect(order.delivered(self.record(6)) == [self.told(6)])
    }

    @Test
    func `no more than a few replacements are asked for at once, and an answer is kept when all is delivered anew`() {
        var order = RecordOrder(behind: 1)
        #expect(order.delivered(self.record(1_000)) == [])
        #expect(order.answered(first: 1, last: 1_000, erased: 2...999, now: .now()) == [])
        #expect(order.wanted == Array(2...65))
        #expect(order.replaced(3, by: self.record(3)) == [])
        order.restarted()
        #expect(order.wanted == [])
        #expect(order.delivered(self.record(1_000)) == [])
        #expect(order.replaced(2, by: self.record(2)) == [self.told(2), self.told(3)])
    }

    @Test
    func `where the beginning was trimmed beyond the next place, the log is lost from there`() {
        var order = RecordOrder(behind: 4)
        #expect(order.delivered(self.record(9)) == [])
        #expect(order.answered(first: 9, last: 9, erased: [], now: .now()) == [.lost(first: LogOffset(rawValue: 9))])
        #expect(!order.isWaiting)
    }

    @Test(arguments: [UInt64(0), 1, 4, 5])
    func `a beginning at the next place or before is enough`(first: UInt64) {
        var order = RecordOrder(behind: 4)
        #expect(order.answered(first: first, last: 9, erased: [], now: .now()) == [])
        #expect(order.delivered(self.record(5)) == [self.told(5)])
    }

    @Test
    func `a hole that the stream does not have waits for another delivery`() {
        var order = RecordOrder(behind: 0)
        #expect(order.delivered(self.record(2)) == [])
        #expect(order.delivered(self.record(4)) == [])
        #expect(order.answered(first: 1, last: 9, erased: [3], now: .now()) == [])
        #expect(order.isWaiting && order.place == 0)
        order.restarted()
        #expect(order.delivered(self.record(1)) == [self.told(1)])
        #expect(order.delivered(self.record(2)) == [self.told(2)])
        #expect(order.delivered(self.record(4)) == [])
        #expect(order.replaced(3, by: nil) == [self.erased(3, before: 4), self.told(4)])
    }

    @Test
    func `of two holes the one that is known is told, the other waits`() {
        var order = RecordOrder(behind: 0)
        #expect(order.delivered(self.record(2)) == [])
        #expect(order.delivered(self.record(5)) == [])
        #expect(order.answered(first: 1, last: 9, erased: [1, 3], now: .now()) == [])
        #expect(order.replaced(1, by: nil) == [self.erased(1, before: 2), self.told(2)])
        #expect(order.needsAnswer && order.place == 2)
    }

    /// A server that does not know that it leads no more says so for a while.
    @Test(arguments: [4, 0] as [UInt64])
    func `a stream that ends before what was told is believed after half a minute`(place: UInt64) {
        // or what is stored of it, where a node applies it once more
        var order = RecordOrder(behind: place, reaching: KnownRecord(place: LogOffset(rawValue: 4), time: nil))
        let start = NIODeadline.uptimeNanoseconds(1)
        #expect(order.answered(first: 1, last: 3, erased: [], now: start) == [])
        #expect(order.isBehind)
        #expect(order.answered(first: 1, last: 4, erased: [], now: start + .seconds(20)) == [])
        #expect(!order.isBehind)
        for time: Int64 in [25, 54] {
            #expect(order.answered(first: 1, last: 3, erased: [], now: start + .seconds(time)) == [])
        }
        let events = order.answered(first: 1, last: 3, erased: [], now: start + .seconds(55))
        #expect(events == [.behind(last: LogOffset(rawValue: 3))])
    }

    // MARK: The record that is known

    private func known(_ place: UInt64) -> KnownRecord {
        guard case .record(let place, let time, _) = self.told(place) else { preconditionFailure() }
        return KnownRecord(place: place, time: time)
    }

    @Test
    func `nothing is told before the stream has shown the record that is known`() {
        var order = RecordOrder(behind: 2, reaching: self.known(2))
        #expect(order.delivered(self.record(3)) == [] && order.isWaiting)
        #expect(order.answered(first: 1, last: 4, erased: [], now: .now()) == [] && !order.isWhole)
        #expect(order.knownAnswered(time: self.known(2).time ?? 0) == [self.told(3)])
        #expect(order.isWhole)
        #expect(order.delivered(self.record(4)) == [self.told(4)])
        order.restarted()
        #expect(!order.isConfirmed && order.known == self.known(4))
    }

    @Test
    func `a stream with another record in this place is another one`() {
        var order = RecordOrder(behind: 1, reaching: self.known(2))
        #expect(order.delivered(self.record(2)) == [])
        #expect(order.knownAnswered(time: 1) == [.differs(LogOffset(rawValue: 2))])
        #expect(!order.isWhole)
    }

    /// A node applies what is stored once more, and the record that is known is of the end.
    @Test
    func `another record is noticed when it is delivered, too`() {
        var order = RecordOrder(behind: 0, reaching: KnownRecord(place: LogOffset(rawValue: 2), time: 1))
        #expect(order.knownAnswered(time: 1) == [])
        #expect(order.delivered(self.record(1)) == [self.told(1)])
        #expect(order.delivered(self.record(2)) == [.differs(LogOffset(rawValue: 2))])
        #expect(order.delivered(self.record(3)) == [])
    }

    @Test(arguments: [(first: 3, erased: []), (first: 1, erased: [2])] as [(first: UInt64, erased: [UInt64])])
    func `a record that the stream has trimmed or erased cannot be shown`(first: UInt64, erased: [UInt64]) {
        var order = RecordOrder(behind: 2, reaching: self.known(2))
        #expect(order.delivered(self.record(3)) == [])
        #expect(order.answered(first: first, last: 4, erased: erased, now: .now()) == [self.told(3)])
        #expect(order.isWhole)
    }
}
