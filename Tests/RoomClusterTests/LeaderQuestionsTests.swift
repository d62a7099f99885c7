import NIOCore
import Testing

@testable import RoomCluster

struct LeaderQuestionsTests {
    private var questions = LeaderQuestions()

    private func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
    }

    /// The milliseconds at which the leader is asked, where the log looks every 25.
    private mutating func asked(_ range: Range<Int64>) -> [Int64] {
        stride(from: range.lowerBound, to: range.upperBound, by: 25).filter {
            self.questions.ticked(now: self.time($0))
        }
    }

    @Test
    mutating func `a leader that nobody doubts is not asked`() {
        #expect(self.asked(0..<1_000) == [])
    }

    @Test
    mutating func `after a doubt the leader is asked for half a second`() {
        self.questions.doubted(now: self.time(0))
        #expect(self.asked(0..<2_000) == [0, 100, 200, 300, 400, 500])
    }

    @Test
    mutating func `a leader that has records first is asked for longer, and the consumer is made anew once a doubt`() {
        self.questions.doubted(now: self.time(0))
        #expect(self.asked(0..<100) == [0])
        let first = self.questions.leaderWasFirst(now: self.time(100))
        let second = self.questions.leaderWasFirst(now: self.time(110))
        #expect((first, second) == (true, false))
        // it is asked for the next one at once
        #expect(self.asked(110..<410) == [210, 310])
        #expect(self.asked(10_000..<10_100) == [10_000])
        #expect(self.asked(10_200..<12_000) == [])
        self.questions.doubted(now: self.time(12_000))
        #expect(self.questions.leaderWasFirst(now: self.time(12_100)) == true)
    }

    @Test
    mutating func `a consumer that is first again ends it`() {
        self.questions.doubted(now: self.time(0))
        _ = self.questions.leaderWasFirst(now: self.time(0))
        self.questions.consumerWasFirst()
        #expect(self.asked(0..<1_000) == [])
    }
}
