import NIOCore
import RoomControl
import RoomDelivery
import RoomHost
import RoomMetrics
import RoomStore
import ServiceLifecycle

/// Looks once, behind the start, whether the history file is whole; then has the store trim, once a minute, what
/// retention by age does not keep any more, and remove backups that nobody fetches.
struct HistoryMaintenance: Service {
    let history: HistoryStore
    let backups: BackupStore?
    let clock: BrokerClock

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.history.checkIntegrity()
            while (try? await Task.sleep(for: .seconds(60))) != nil {  // throws when cancelled
                await self.backups?.expire()
                await self.history.sweep(now: self.clock.now)
            }
        }
    }
}

/// Forgets, once a minute, the bans and mutes that have ended.
struct ModerationMaintenance: Service {
    let moderation: ModerationRegistry

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(60))) != nil {  // throws when cancelled
                await self.moderation.sweep()
            }
        }
    }
}

/// Looks once a second whether the files are still where they were opened.
struct FileWatch: Service {
    let history: HistoryStore
    let control: ControlStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                self.history.look()
                self.control.look()
            } while (try? await Task.sleep(for: .seconds(1))) != nil  // throws when cancelled
        }
    }
}

/// Measures ten times a second how long each event loop takes to get to new work, and looks once a second which
/// connections have to wait for their turns.
struct LoopWatch: Service {
    let probe: LoopProbe
    let shards: [ShardRef]
    let reports: BusyReports

    func run() async throws {
        let probes = self.probe.start()
        defer { for probe in probes { probe.cancel() } }
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil { self.sampleFlows() }  // throws when cancelled
        }
    }

    private func sampleFlows() {
        for shard in self.shards {
            shard.post { [reports = self.reports] in
                reports.add(
                    $0.sampleFlows(processorTime: .nanoseconds(ProcessorTime.ofThisThread)),
                    now: .now()
                )
            }
        }
    }
}

/// Takes note of what the broker does, for the plots of the console.
struct FigureWatch: Service {
    let figures: FigureLog

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await self.figures.take(
                    time: WallClock.milliseconds(),
                    uptime: NIODeadline.now().uptimeNanoseconds
                )
            } while (try? await Task.sleep(for: FigureLog.interval)) != nil  // throws when cancelled
        }
    }
}
