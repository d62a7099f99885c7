import RoomControl
import RoomMetrics
import RoomStore
import ServiceLifecycle

/// Looks once, behind the start, whether the history file is whole; then has the store trim, once a minute, what
/// retention by age does not keep any more, and remove backups that nobody fetches.
struct HistoryUpkeep: Service {
    let history: HistoryStore
    let backups: BackupStore?

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.history.checkIntegrity()
            while (try? await Task.sleep(for: .seconds(60))) != nil {  // throws when cancelled
                await self.backups?.expire()
                await self.history.sweep(now: WallClock.milliseconds())
            }
        }
    }
}

/// Forgets, once a minute, the bans and mutes that have ended.
struct ModerationUpkeep: Service {
    let moderation: ModerationRegistry

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(60))) != nil {  // throws when cancelled
                await self.moderation.sweep()
            }
        }
    }
}

/// Measures once a second how long each event loop takes to get to new work.
struct LoopWatch: Service {
    let probe: LoopProbe

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil {  // throws when cancelled
                self.probe.probe()
            }
        }
    }
}
