import BenchmarkClock
import Foundation
import RoomClient

/// One client in one room that gets bursts of small messages from another process.
struct ReceiveBenchmark {
    let url: String

    func run() async throws {
        let client = try RoomClient(self.url, channel: ClientBenchmark.channel)
        let room = try await client.join(BurstPublisher.room, of: String.self)
        let burst = Process()
        burst.executableURL = URL(filePath: CommandLine.arguments[0])
        burst.arguments = ["burst", self.url]
        try burst.run()
        var events = room.events.makeAsyncIterator()
        var seq: UInt64 = 0
        for round in 1...BurstPublisher.rounds {
            var (received, missing, clock) = (0, 0, ProcessClock())
            while seq < BurstPublisher.messages * round, let event = await events.next() {
                switch event {
                case .message(let message):
                    if received == 0 { clock = ProcessClock() }
                    received += 1
                    seq = message.seq ?? seq
                case .gap(let gap):
                    missing += gap.seqs?.count ?? 0
                    seq = gap.seqs?.upperBound ?? seq
                default: break
                }
            }
            clock.report("receive, round \(round), \(missing) missing", count: received)
        }
        burst.waitUntilExit()
        await client.close()
    }
}
