import NIOCore
import Testing

@testable import RoomCluster

struct FollowerTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func make(behind place: UInt64 = 10) -> Follower {
        var follower = Follower(behind: place, now: self.start)
        follower.restarted(behind: place, now: self.start)
        return follower
    }

    @Test
    func `deliveries without a hole are taken in order`() {
        var follower = self.make()
        #expect(follower.delivered(place: 11, number: 1, generation: 1, now: self.start) == .deliver)
        #expect(follower.delivered(place: 13, number: 2, generation: 1, now: self.start) == .deliver)
        #expect(follower.place == 13)
    }

    @Test
    func `a hole in the numbers begins anew`() {
        var follower = self.make()
        #expect(follower.delivered(place: 12, number: 2, generation: 1, now: self.start) == .restart)
        #expect(follower.place == 10)
    }

    @Test
    func `an older consumer does not count`() {
        var follower = self.make()
        follower.restarted(behind: 10, now: self.start)
        #expect(follower.delivered(place: 11, number: 1, generation: 1, now: self.start) == .none)
        #expect(follower.heartbeatReceived(last: 7, generation: 1, now: self.start) == .none)
    }

    @Test
    func `what was delivered before is not delivered again`() {
        var follower = self.make()
        #expect(follower.delivered(place: 9, number: 1, generation: 1, now: self.start) == .none)
        #expect(follower.delivered(place: 10, number: 2, generation: 1, now: self.start) == .none)
        #expect(follower.delivered(place: 11, number: 3, generation: 1, now: self.start) == .deliver)
    }

    @Test
    func `a heartbeat that knows of more begins anew`() {
        var follower = self.make()
        #expect(follower.heartbeatReceived(last: 0, generation: 1, now: self.start) == .none)
        #expect(follower.heartbeatReceived(last: 1, generation: 1, now: self.start) == .restart)
    }

    @Test
    func `without a consumer the stream is asked, one question at a time`() {
        var follower = self.make()
        #expect(follower.ticked(now: self.start + .milliseconds(100)) == .none)
        #expect(follower.ticked(now: self.start + .milliseconds(101)) == .ask)
        #expect(follower.ticked(now: self.start + .milliseconds(300)) == .none)
        #expect(follower.answered(place: 11, previous: 0, question: 1) == true)
        #expect(follower.answered(place: 12, previous: 11, question: 1) == true)
        follower.answersEnded(question: 1)
        #expect(follower.ticked(now: self.start + .milliseconds(301)) == .ask)
        #expect(follower.place == 12)
    }

    @Test
    func `a question without an answer is asked again`() {
        var follower = self.make()
        #expect(follower.ticked(now: self.start + .milliseconds(101)) == .ask)
        #expect(follower.ticked(now: self.start + .milliseconds(602)) == .ask)
        #expect(follower.answered(place: 11, previous: 0, question: 1) == false)
    }

    @Test
    func `an answer behind a missing one is not taken`() {
        var follower = self.make()
        #expect(follower.ticked(now: self.start + .milliseconds(101)) == .ask)
        #expect(follower.answered(place: 11, previous: 0, question: 1) == true)
        #expect(follower.answered(place: 13, previous: 12, question: 1) == false)
        #expect(follower.answered(place: 14, previous: 13, question: 1) == false)
        #expect(follower.place == 11)
    }

    @Test
    func `a consumer that has spoken is waited for, then asked around, then made anew`() {
        var follower = self.make()
        #expect(follower.heartbeatReceived(last: 0, generation: 1, now: self.start) == .none)
        #expect(follower.ticked(now: self.start + .milliseconds(1_200)) == .none)
        #expect(follower.ticked(now: self.start + .milliseconds(1_300)) == .ask)
        #expect(follower.ticked(now: self.start + .milliseconds(2_201)) == .restart)
    }
}
