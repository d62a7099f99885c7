import RoomModel
import Testing

@testable import RoomCore

/// When an author may publish again.
struct SlowModeTests {
    private static let second: Int64 = 1_000
    private static let ann = Author.client(ClientID("ann"))

    @Test func `each author waits so many seconds`() {
        var slow = SlowMode()
        #expect(slow.take(Self.ann, seconds: 10, now: 0) == nil)
        #expect(slow.take(Self.ann, seconds: 10, now: 1) == 9_999)
        #expect(slow.take(.user("ann"), seconds: 10, now: 1) == nil)
        #expect(slow.take(Self.ann, seconds: 10, now: 9 * Self.second) == 1_000)
        #expect(slow.take(Self.ann, seconds: 10, now: 10 * Self.second) == nil)
        #expect(slow.take(Self.ann, seconds: 10, now: 11 * Self.second) == 9_000)
    }

    @Test func `a batch that fails has counted nothing`() {
        var slow = SlowMode()
        slow.batchBegins()
        #expect(slow.take(Self.ann, seconds: 1, now: 0) == nil)
        slow.batchBegins()
        #expect(slow.take(Self.ann, seconds: 1, now: 2 * Self.second) == nil)
        #expect(slow.take(.user("bob"), seconds: 1, now: 2 * Self.second) == nil)
        slow.batchFailed()
        #expect(slow.take(Self.ann, seconds: 1, now: 2 * Self.second) == nil)
        #expect(slow.take(.user("bob"), seconds: 1, now: 2 * Self.second) == nil)
    }

    @Test func `authors beyond the capacity are forgotten, those first who have waited longest`() {
        var slow = SlowMode(capacity: 4)
        for number in 0..<4 { #expect(slow.take(.user("\(number)"), seconds: 100, now: Int64(number)) == nil) }
        #expect(slow.take(.user("new"), seconds: 100, now: 10) == nil)
        #expect(slow.take(.user("0"), seconds: 100, now: 11) == nil)
        #expect(slow.take(.user("3"), seconds: 100, now: 11) != nil)
        #expect(slow.take(.user("new"), seconds: 100, now: 11) != nil)
    }
    @Test func `of authors at the same time those are kept who came last, in every process`() {
        // Swift's dictionaries have another order in each: what is kept must not follow from it
        var slow = SlowMode(capacity: 64)
        for number in 0..<64 { _ = slow.take(.user("\(number)"), seconds: 100, now: 5) }
        _ = slow.take(.user("new"), seconds: 100, now: 5)
        #expect((32..<64).allSatisfy { slow.take(.user("\($0)"), seconds: 100, now: 6) != nil })
        #expect(slow.take(.user("31"), seconds: 100, now: 6) == nil)
    }
}
