import NIOConcurrencyHelpers
import NIOCore
import RoomMetrics
import Testing

struct MetricsTextTests {
    private static let second: UInt64 = 1_000_000_000

    private let clock = NIOLockedValueBox<UInt64>(5)
    private let made = NIOLockedValueBox(0)

    private var count: Int { self.made.withLockedValue { $0 } }

    private func text(behind gate: AsyncStream<Void>? = nil) -> MetricsText {
        let clock = self.clock
        return MetricsText(
            now: { clock.withLockedValue(\.self) },
            make: { [made] in
                var gate = gate?.makeAsyncIterator()
                await gate?.next()
                return made.withLockedValue { made in
                    made += 1
                    return "text \(made)"
                }
            }
        )
    }

    @Test func `however many ask within a second, the text is made once`() async {
        let text = self.text()
        for _ in 0..<100 { #expect(await String(buffer: text.text()) == "text 1") }
        self.clock.withLockedValue { $0 += Self.second - 1 }
        #expect(await String(buffer: text.text()) == "text 1")
        self.clock.withLockedValue { $0 += 1 }
        #expect(await String(buffer: text.text()) == "text 2")
        #expect(self.count == 2)
    }

    @Test func `those who ask while it is being made get the same text`() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let text = self.text(behind: gate)
        let texts = await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { await String(buffer: text.text()) } }
            open.yield()
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts == ["text 1"])
        #expect(self.count == 1)
    }
}
