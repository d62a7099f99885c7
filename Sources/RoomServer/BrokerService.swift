import Logging
import NIOCore
import RoomCore
import RoomDelivery
import ServiceLifecycle
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Serves until SIGTERM or SIGINT, then drains: nothing new is accepted, what was read is answered, every client is told
/// goodbye and when to come back, and connections are closed once that is written. A second signal ends the process at
/// once; what was acknowledged is committed by then.
struct BrokerService: Service {
    let listener: any Channel
    let shards: [ShardRef]
    let gate: ConnectionGate
    let http: HTTPSide
    /// SIGTERM and SIGINT.
    let signals: UnixSignalsSequence
    let drainTime: Duration
    let status: ServiceStatus
    let logger: Logger
    /// The writer of the logger: the process ends without its main function at the second signal.
    let log: LogWriter

    /// Over how many milliseconds clients are asked to spread their return.
    private static let returnSpread = 2_000

    func run() async throws {
        let (untilStop, stop) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            group.addTask {
                var count = 0
                for await signal in self.signals {
                    count += 1
                    if count == 2 {
                        self.log.flush()
                        _exit(128 + signal.rawValue)
                    }
                    stop.finish()
                }
            }
            await withGracefulShutdownHandler {
                for await _ in untilStop {}
            } onGracefulShutdown: {
                stop.finish()
            }
            await self.drain()
            group.cancelAll()
        }
    }

    private func drain() async {
        self.status.tell(.stopping)
        self.logger.info("draining", metadata: ["deadline": "\(self.drainTime)"])
        try? await self.listener.close()  // closed already: just as well
        self.http.drain()
        for shard in self.shards {
            shard.post { $0.drain(spreadMilliseconds: Self.returnSpread) }
        }
        await withTaskGroup { race in
            race.addTask {
                await self.gate.untilEmpty()
                await self.http.untilEmpty()
            }
            race.addTask { try? await Task.sleep(for: self.drainTime) }  // cancelled: all have gone
            await race.next()
            race.cancelAll()
            for shard in self.shards { shard.post { $0.closeAll() } }
            await self.http.stop()
        }
        self.logger.info("stopped")
    }
}
