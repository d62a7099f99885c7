import NIOCore
import Testing

@testable import RoomDelivery

struct TokenWatchTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func `the token is looked at when it ends`() {
        var watch = TokenWatch()
        #expect(watch.look(atEnd: 1_060, clock: 1_000, now: Self.start) == .seconds(60))
        #expect(watch.timerFired(now: Self.start + .seconds(59)) == .nothing)
        #expect(watch.timerFired(now: Self.start + .seconds(60)) == .lookAtToken)
        #expect(watch.timerFired(now: Self.start + .seconds(61)) == .nothing, "once")
    }

    @Test func `a token that has ended is looked at at once, a far end every hour`() {
        var watch = TokenWatch()
        #expect(watch.look(atEnd: 900, clock: 1_000, now: Self.start) == .seconds(0))
        var other = TokenWatch()
        #expect(other.look(atEnd: 1_000_000, clock: 1_000, now: Self.start) == .hours(1))
    }

    @Test func `a later end goes on with the deadline that is set`() {
        var watch = TokenWatch()
        #expect(watch.look(in: .seconds(30), now: Self.start) == .seconds(30))
        #expect(watch.look(in: .seconds(90), now: Self.start) == nil)
        #expect(watch.timerFired(now: Self.start + .seconds(30)) == .wait(.seconds(60)))
        #expect(watch.timerFired(now: Self.start + .seconds(90)) == .lookAtToken)
    }

    @Test func `an earlier end gets a deadline of its own, and the old one passes without effect`() {
        var watch = TokenWatch()
        #expect(watch.look(in: .seconds(90), now: Self.start) == .seconds(90))
        #expect(watch.look(in: .seconds(30), now: Self.start) == .seconds(30))
        #expect(watch.timerFired(now: Self.start + .seconds(30)) == .lookAtToken)
        #expect(watch.timerFired(now: Self.start + .seconds(90)) == .nothing)
    }
}
