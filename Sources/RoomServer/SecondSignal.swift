#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import ServiceLifecycle
import UnixSignals

/// Ends the process at once when a second signal comes while it drains. What was acknowledged is committed by then.
struct SecondSignal: Service {
    func run() async throws {
        var signals = 0
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
            signals += 1
            if signals == 2 { _exit(128 + signal.rawValue) }
        }
    }
}
