import RoomHTTP
import ServiceLifecycle

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
