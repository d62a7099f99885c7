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
