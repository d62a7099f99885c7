import Testing

@testable import RoomClient

struct BackoffTests {
    private let backoff = Backoff(base: .milliseconds(200), cap: .seconds(20))

    @Test(arguments: [
        (0, 1.0, 200), (1, 1.0, 400), (6, 1.0, 12_800), (7, 1.0, 20_000), (20, 1.0, 20_000), (.max, 1.0, 20_000),
        (3, 0.5, 800), (3, 0.0, 0), (-1, 1.0, 200), (0, 2.0, 200), (0, -1.0, 0),
    ])
    func `the pause grows to the cap, and jitter takes its part of it`(attempt: Int, jitter: Double, pause: Int) {
        #expect(self.backoff.delay(attempt: attempt, jitter: jitter) == .milliseconds(pause))
    }

    @Test(arguments: [(0, 0.0, 100, 100), (2, 1.0, 100, 800), (0, 1.0, 60_000, 60_000)])
    func `no pause is shorter than the broker asks for`(attempt: Int, jitter: Double, atLeast: Int, pause: Int) {
        let delay = self.backoff.delay(attempt: attempt, jitter: jitter, atLeast: .milliseconds(atLeast))
        #expect(delay == .milliseconds(pause))
    }

    @Test func `no base means no pause`() {
        #expect(Backoff(base: .zero).delay(attempt: 9, jitter: 1) == .zero)
    }
}
