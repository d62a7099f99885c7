import RoomStore
import ServiceLifecycle

/// Has the store trim, once a minute, what retention by age does not keep any more.
struct HistorySweeper: Service {
    let history: HistoryStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(60))) != nil {  // throws when cancelled
                await self.history.sweep(now: WallClock.milliseconds())
            }
        }
    }
}
