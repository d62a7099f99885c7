package import Foundation

/// What the system tells of this process; `nil` for what it does not tell.
package struct ProcessFigures: Equatable, Sendable {
    /// Unix seconds.
    package var startSeconds: Double
    package var uptimeSeconds: Double
    /// Of user and system.
    package var processorSeconds: Double
    package var residentBytes: Int?
    package var openFiles: Int?
    package var fileLimit: Int?

    package init(startSeconds: Double, uptimeSeconds: Double, processorSeconds: Double) {
        self.startSeconds = startSeconds
        self.uptimeSeconds = uptimeSeconds
        self.processorSeconds = processorSeconds
    }

    /// Reads them now, some from files of `/proc`.
    ///
    /// - Parameter start: when the process began.
    package static func current(since start: Date) -> ProcessFigures {
        var figures = ProcessFigures(
            startSeconds: start.timeIntervalSince1970,
            uptimeSeconds: max(0, -start.timeIntervalSinceNow),
            processorSeconds: Self.processorSeconds()
        )
        figures.residentBytes = Self.residentBytes()
        // Where there is no such directory, the number is not known.
        figures.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
        figures.fileLimit = Self.fileLimit()
        return figures
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The second number of `statm` (proc(5)), in pages.
    private static func residentBytes() -> Int? {
        // No such file: not Linux.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]).map { $0 * Int(getpagesize()) } : nil
    }

    private static func fileLimit() -> Int? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit > 0 ? limit : nil
    }
}
