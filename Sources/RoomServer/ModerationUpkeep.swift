import RoomHTTP
import ServiceLifecycle

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
