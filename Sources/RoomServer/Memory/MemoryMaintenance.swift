import RoomHost
import ServiceLifecycle

#if canImport(Glibc)
import CMalloc
#endif

/// Looks every ten seconds whether freed memory should go back to the system (`MemoryReturn`). Does something with glibc
/// only: the allocators of other systems give memory back themselves.
struct MemoryMaintenance: Service {
    private static let seconds = 10

    func run() async throws {
        #if canImport(Glibc)
        await cancelWhenGracefulShutdown {
            guard let start = Self.figures() else { return }
            var decision = MemoryReturn(start)
            while (try? await Task.sleep(for: .seconds(Self.seconds))) != nil {  // throws when cancelled
                guard let now = Self.figures(), decision.isDue(now, after: Double(Self.seconds)) else { continue }
                // returns 0 where there was nothing to give back
                _ = malloc_trim(0)
                if let left = Self.figures() { decision.returned(resident: left.resident) }
            }
        }
        #else
        try await gracefulShutdown()
        #endif
    }

    private static func figures() -> MemoryReturn.Figures? {
        HostProcess.own.residentBytes.map {
            MemoryReturn.Figures(resident: $0, processorSeconds: Double(ProcessorTime.ofThisProcess) / 1e9)
        }
    }
}
