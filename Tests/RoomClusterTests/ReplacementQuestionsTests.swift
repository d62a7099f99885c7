import NIOCore
import Testing

@testable import RoomCluster

struct ReplacementQuestionsTests {
    private func time(_ milliseconds: Int64) -> NIODeadline { .uptimeNanoseconds(1) + .milliseconds(milliseconds) }

    @Test
    func `a place is asked for at once, then every quarter of a second, and given up where servers have nothing`() {
        var questions = ReplacementQuestions(patience: .seconds(1))
        #expect(questions.due([2, 3], now: self.time(0)) == [.ask(2), .ask(3)])
        #expect(questions.due([2, 3], now: self.time(249)) == [])
        questions.denied(2)
        #expect(questions.due([2, 3, 4], now: self.time(250)) == [.ask(2), .ask(3), .ask(4)])
        questions.ended(3)
        #expect(questions.due([2, 4], now: self.time(999)) == [.ask(2), .ask(4)])
        #expect(questions.due([2, 4], now: self.time(1_000)) == [.giveUp(2)])
    }

    @Test
    func `who hears no server gives nothing up`() {
        var questions = ReplacementQuestions(patience: .seconds(1))
        #expect(questions.due([2], now: self.time(0)) == [.ask(2)])
        #expect(questions.due([2], now: self.time(60_000)) == [.ask(2)])
        // of a place that nobody has asked for
        questions.denied(3)
        #expect(questions.due([3], now: self.time(60_000)) == [.ask(3)])
    }

    @Test
    func `what was said before the connection was away does not hold any more`() {
        var questions = ReplacementQuestions(patience: .seconds(1))
        #expect(questions.due([2], now: self.time(0)) == [.ask(2)])
        questions.denied(2)
        questions.restarted()
        #expect(questions.due([2], now: self.time(5_000)) == [.ask(2)])
        questions.denied(2)
        #expect(questions.due([2], now: self.time(5_500)) == [.ask(2)])
        #expect(questions.due([2], now: self.time(6_000)) == [.giveUp(2)])
    }
}
