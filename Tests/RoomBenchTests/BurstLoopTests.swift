import Testing

@testable import RoomBench

@Suite struct BurstLoopTests {
    @Test func `a burst is complete when all receivers have all of it`() {
        var loop = BurstLoop(messages: 3, receivers: 2)
        #expect(loop.isAtRest)
        loop.sent(at: 100)
        #expect(!loop.isAtRest)
        let outcomes = [2, 3, 1].map { loop.received($0) }
        #expect(outcomes == [.waiting, .waiting, .complete])
        #expect(loop.latency(at: 140) == 40)
        #expect(loop.isAtRest)
        loop.sent(at: 200)
        let whole = loop.received(6)
        #expect(whole == .complete)
        #expect(loop.latency(at: 210) == 10)
    }

    @Test func `more than was sent is noticed`() {
        var loop = BurstLoop(messages: 1, receivers: 2)
        let unasked = loop.received(1)
        #expect(unasked == .surplus)
        loop.sent(at: 0)
        let more = loop.received(3)
        #expect(more == .surplus)
    }
}

@Suite struct OpenLoopScheduleTests {
    @Test func `each message is due at its time, whatever happened to those before it`() {
        var schedule = OpenLoopSchedule(start: 1_000, rate: 3)
        #expect((0..<4).map(schedule.due) == [1_000, 333_334_333, 666_667_666, 1_000_001_000])
        let times: [Int64] = [999, 1_000, 1_001, 2_000_001_000]
        let taken = times.map { schedule.takeDue(at: $0) }
        // A generator that was late sends all that was due meanwhile, each with its own time.
        #expect(taken == [0..<0, 0..<1, 1..<1, 1..<7])
        #expect(schedule.next == 7)
    }

    @Test func `what is due is taken in parts where it is much`() {
        var schedule = OpenLoopSchedule(start: 0, rate: 1_000)
        let parts = [3, 3, 3, 3].map { schedule.takeDue(at: 9_000_000, most: $0) }
        #expect(parts == [0..<3, 3..<6, 6..<9, 9..<10])
    }

    @Test func `a long run at a high rate does not drift`() {
        let schedule = OpenLoopSchedule(start: 0, rate: 999_999)
        #expect(schedule.due(999_999 * 86_400) == 86_400 * 1_000_000_000)
    }
}
