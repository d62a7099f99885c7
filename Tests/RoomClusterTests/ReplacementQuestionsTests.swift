import NIOCore
import RoomCluster
import Testing

struct ReplacementQuestionsTests {
    private func time(_ milliseconds: Int64) -> NIODeadline { .uptimeNanoseconds(1) + .milliseconds(milliseconds) }

    @Test
    func `a place is asked for at once, then every quarter of a second, and given up in the end`() {
        var questions = ReplacementQuestions(patience: .seconds(1))
        #expect(questions.due([2, 3], now: self.time(0)) == [.ask(2), .ask(3)])
        #expect(questions.due([2, 3], now: self.time(249)) == [])
        #expect(questions.due([2, 3, 4], now: self.time(250)) == [.ask(2), .ask(3), .ask(4)])
        questions.ended(3)
        #expect(questions.due([2, 4], now: self.time(999)) == [.ask(2), .ask(4)])
        #expect(questions.due([2, 4], now: self.time(1_000)) == [.giveUp(2)])
        #expect(questions.due([], now: self.time(2_000)) == [])
    }

    @Test
    func `one that has ended is a new one when it is wanted again`() {
        var questions = ReplacementQuestions(patience: .seconds(1))
        #expect(questions.due([2], now: self.time(0)) == [.ask(2)])
        questions.ended(2)
        #expect(questions.due([2], now: self.time(5_000)) == [.ask(2)])
    }
}
