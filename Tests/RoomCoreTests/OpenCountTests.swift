import RoomCore
import Testing

struct OpenCountTests {
    @Test func `who waits is woken by the end of the last, and not at all where nothing is open`() async {
        let count = OpenCount()
        await count.untilNone()
        count.opened()
        count.opened()
        await withDiscardingTaskGroup { group in
            for _ in 0..<3 { group.addTask { await count.untilNone() } }
            count.closed()
            count.closed()
        }
        await count.untilNone()
    }
}
