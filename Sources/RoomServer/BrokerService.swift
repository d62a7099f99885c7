import Logging
import NIOCore
import RoomDelivery
import RoomTransport
import ServiceLifecycle

/// Serves until the graceful shutdown, then drains: nothing new is accepted, what was read is answered, every client is
/// told goodbye and when to come back, and connections are closed once that is written.
struct BrokerService: Service {
    let listener: any Channel
    let shards: [ShardRef]
    let gate: ConnectionGate
    let drainTime: Duration
    let logger: Logger

    /// Over how many milliseconds clients are asked to spread their return.
    private static let returnSpread = 2_000

    func run() async throws {
        try await gracefulShutdown()
        self.logger.info("draining")
        try? await self.listener.close()  // closed already: just as well
        for shard in self.shards {
            shard.post { $0.drain(spreadMilliseconds: Self.returnSpread) }
        }
        await withTaskGroup { race in
            race.addTask { await self.gate.untilEmpty() }
            race.addTask { try? await Task.sleep(for: self.drainTime) }  // cancelled: all have gone
            await race.next()
            race.cancelAll()
            for shard in self.shards { shard.post { $0.closeAll() } }
        }
        self.logger.info("stopped")
    }
}
