import BenchmarkClock
import RoomClient

/// One client that publishes acknowledged messages from many tasks at once.
struct PublishBenchmark {
    let url: String
    private let publishers = 512
    private let messages = 200_000

    func run() async throws {
        let client = try RoomClient(self.url, channel: ClientBenchmark.channel)
        try await client.connect()
        for round in 1...3 {
            let clock = ProcessClock()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for publisher in 0..<self.publishers {
                    group.addTask { try await self.publish(client, publisher) }
                }
                try await group.waitForAll()
            }
            clock.report("publish, round \(round)", count: self.messages / self.publishers * self.publishers)
        }
        await client.close()
    }

    private func publish(_ client: RoomClient, _ publisher: Int) async throws {
        let text = String(repeating: "x", count: 128)
        for _ in 0..<(self.messages / self.publishers) {
            try await client.publish(text, to: "room-\(publisher % 8)")
        }
    }
}
