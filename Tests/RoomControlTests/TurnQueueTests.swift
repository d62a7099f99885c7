import NIOConcurrencyHelpers
import Testing

@testable import RoomControl

struct TurnQueueTests {
    @Test func `of one key one has the turn at a time, and all get it`() async {
        let turns = TurnQueue<String>()
        let state = NIOLockedValueBox((inside: 0, most: 0, done: 0))
        await withDiscardingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await turns.take("a")
                    state.withLockedValue {
                        $0.inside += 1
                        $0.most = max($0.most, $0.inside)
                    }
                    await Task.yield()
                    state.withLockedValue {
                        $0.inside -= 1
                        $0.done += 1
                    }
                    turns.pass("a")
                }
            }
        }
        #expect(state.withLockedValue { $0.most == 1 && $0.done == 100 })
    }

    @Test @MainActor func `who has waited longest comes first`() async {
        let turns = TurnQueue<String>()
        await turns.take("a")
        var order: [Int] = []
        let waiting = (0..<5).map { number in
            Task {
                await turns.take("a")
                order.append(number)
                turns.pass("a")
            }
        }
        // the main actor begins them in this order, and goes on here when they wait
        await Task.yield()
        turns.pass("a")
        for task in waiting { await task.value }
        #expect(order == [0, 1, 2, 3, 4])
    }

    @Test func `nobody waits for another key, nor for a turn that was passed on`() async {
        let turns = TurnQueue<String>()
        await turns.take("a")
        await turns.take("b")
        turns.pass("a")
        await turns.take("a")
        turns.pass("a")
        turns.pass("b")
        await turns.take("b")
        turns.pass("b")
    }
}
