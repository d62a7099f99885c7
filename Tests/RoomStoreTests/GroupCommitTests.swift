import Dispatch
import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What becomes of jobs on their way into transactions.
@Suite(.timeLimit(.minutes(5)))
struct GroupCommitTests {
    private let queue = DispatchQueue(label: "test")

    private static func job(
        _ lane: WriteQueue.Lane = .log,
        failed: @escaping @Sendable (EngineError) -> Void = { _ in }
    ) -> WriteJob {
        WriteJob(generation: nil, lane: lane, durability: .process, entries: 1, bytes: 1) { _ in
            {}
        } failed: {
            failed($0)
        }
    }

    @Test
    func `what waits when it is closed is stored, in as many transactions as it takes, and what follows is refused`()
        async
    {
        let sizes = NIOLockedValueBox<[Int]>([])
        let refused = NIOLockedValueBox<[EngineError]>([])
        let group = GroupCommit(on: self.queue) { jobs, _ in sizes.withLockedValue { $0.append(jobs.count) } }
        self.queue.suspend()
        for _ in 0..<100 { group.submit(Self.job(.newLog)) }
        await withCheckedContinuation { continuation in
            group.close { continuation.resume() }
            group.submit(Self.job { error in refused.withLockedValue { $0.append(error) } })
            self.queue.resume()
        }
        self.queue.sync {}
        #expect(sizes.withLockedValue { $0 } == [32, 32, 32, 4])
        #expect(refused.withLockedValue { $0 } == [.unavailable])
    }

    @Test func `where nothing can be stored, everything that waits fails with one attempt`() {
        let attempts = NIOLockedValueBox(0)
        let failed = NIOLockedValueBox(0)
        let group = GroupCommit(on: self.queue) { jobs, others in
            attempts.withLockedValue { $0 += 1 }
            for job in jobs + others() { job.failed(.unavailable) }
        }
        self.queue.suspend()
        for lane in WriteQueue.Lane.allCases {
            for _ in 0..<2_000 { group.submit(Self.job(lane) { _ in failed.withLockedValue { $0 += 1 } }) }
        }
        self.queue.resume()
        self.queue.sync {}
        self.queue.sync {}
        #expect(attempts.withLockedValue { $0 } == 1)
        #expect(failed.withLockedValue { $0 } == WriteQueue.Lane.allCases.count * 2_000)
    }
}
