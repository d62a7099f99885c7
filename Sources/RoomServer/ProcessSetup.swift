import Foundation
package import Logging
import Metrics
package import RoomMetrics

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The broker's requests to the system for its whole process, before anything else happens in it.
package enum ProcessSetup {
    /// The environment of this process. A variable of ours that is blank counts as not set: a file of variables or
    /// `docker -e` can empty one, but not take it away.
    package static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { name, text in
            !name.hasPrefix(ConfigurationOption.variablePrefix) || !text.allSatisfy(\.isWhitespace)
        }
    }

    /// Makes the backend of swift-metrics for this process, for what the broker counts and what its packages do.
    ///
    /// Once in a process.
    package static func makeMetrics(logger: Logger) -> PrometheusRegistry {
        let metrics = PrometheusRegistry(descriptions: MetricDescription.broker, logger: logger)
        MetricsSystem.bootstrap(metrics)
        return metrics
    }

    /// Files made from now on are private to the user.
    package static func makeNewFilesPrivate() {
        umask(0o077)
    }

    /// Ignores the signals that mean nothing to the broker, by most of which the system would end it; by those of a background job it
    /// would stop. A file that reaches the limit of its size is then an error of that write.
    ///
    /// SIGHUP has a meaning once the broker listens, and must not end one that still starts.
    package static func ignoreOtherSignals() {
        var signals = [
            SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXFSZ, SIGTTIN, SIGTTOU,
        ]
        #if os(Linux)
        // Swift takes a real-time signal without an action to stop the threads of a program that has crashed: the last one.
        signals += [SIGPWR, SIGSTKFLT] + Array(__libc_current_sigrtmin()..<__libc_current_sigrtmax())
        #endif
        for number in signals { signal(number, SIG_IGN) }
    }

    /// Raises the soft limit of open files to the hard one: every connection is an open file.
    package static func raiseOpenFileLimit() -> OpenFileLimit {
        var limit = rlimit()
        if getrlimit(openFiles, &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            setrlimit(openFiles, &limit)  // if it fails, the limit stays as it is, and is told so
        }
        return self.openFileLimit()
    }

    static func openFileLimit() -> OpenFileLimit {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return OpenFileLimit(soft: nil, hard: nil) }
        return OpenFileLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    #if canImport(Glibc)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let openFiles = RLIMIT_NOFILE
    #endif
}

/// How many files the process may have open; `Int.max`: as many as it likes.
package struct OpenFileLimit: Equatable, Sendable {
    /// The limit that holds now; `nil` where the system does not tell.
    package let soft: Int?
    /// The most that the process may set by itself.
    package let hard: Int?
}

/// The system's clock.
enum WallClock {
    /// Unix milliseconds.
    static func milliseconds() -> Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000)
    }
}
