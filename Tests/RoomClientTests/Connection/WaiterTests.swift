import NIOConcurrencyHelpers
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct WaiterTests {
    private let waiter = Waiter<Int>()

    @Test func `an answer that came before anybody waited is given`() async throws {
        self.waiter.answer(.success(7))
        #expect(try await self.waiter.wait() == 7)
    }

    @Test func `an answer wakes the task that waits`() async throws {
        let waiter = self.waiter
        let task = Task { try await waiter.wait() }
        await Task.yield()
        waiter.answer(.success(7))
        #expect(try await task.value == 7)
    }

    @Test func `the first answer counts`() async throws {
        self.waiter.answer(.success(1))
        self.waiter.answer(.failure(.closed))
        #expect(try await self.waiter.wait() == 1)
        self.waiter.answer(.success(3))
    }

    @Test func `an error is thrown`() async {
        self.waiter.answer(.failure(.closed))
        await #expect { try await self.waiter.wait() } throws: { ($0 as? RoomClientError)?.code == .closed }
    }

    @Test func `a cancelled task is told so at once, and the other side that nobody waits`() async {
        let cancellations = NIOLockedValueBox(0)
        let waiter = self.waiter
        let task = Task {
            try await waiter.wait(onCancel: { cancellations.withLockedValue { $0 += 1 } })
        }
        task.cancel()
        let result = await task.result
        #expect(throws: RoomClientError.self) { try result.get() }
        #expect(cancellations.withLockedValue { $0 } == 1)
        waiter.answer(.success(1))
    }

    @Test func `an answer that came before the cancellation is given`() async throws {
        let waiter = self.waiter
        waiter.answer(.success(7))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await waiter.wait()
        }
        #expect(try await task.value == 7)
    }

    @Test func `answer and cancellation at the same moment end in one of the two`() async {
        for number in 0..<500 {
            let waiter = Waiter<Int>()
            let task = Task { try await waiter.wait() }
            let answering = Task.detached { waiter.answer(.success(number)) }
            let cancelling = Task.detached { task.cancel() }
            _ = await (answering.value, cancelling.value)
            switch await task.result {
            case .success(let value): #expect(value == number)
            case .failure(let error): #expect((error as? RoomClientError)?.code == .cancelled)
            }
        }
    }
}
