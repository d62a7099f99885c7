import RoomModel

/// Measures the store: `layout` compares ways to lay messages out, `append` what `HistoryStore` acknowledges.
@main
enum StoreBenchmark {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "layout"?:
            try LayoutBenchmark().run()
            try LayoutBenchmark(rooms: 1_000).run()
        case "append"?:
            for benchmark in Self.appends {
                try await benchmark.run()
            }
        default:
            print("usage: StoreBenchmark layout | append")
        }
    }

    private static let appends = [
        AppendBenchmark(rooms: 8, batch: 32),
        AppendBenchmark(rooms: 8, batch: 32, keepCount: 1_000),
        AppendBenchmark(rooms: 8, batch: 32, keepCount: 1_000, isKeyed: true),
        AppendBenchmark(rooms: 1, batch: 32, messages: 1_000_000),
        AppendBenchmark(rooms: 1_000, batch: 1, messages: 500_000),
        AppendBenchmark(rooms: 8, batch: 32, messages: 200_000, durability: .power),
    ]
}
