package import Foundation
import Metrics

/// The process as the system sees it, and what runs in it.
struct ProcessInstruments {
    private let factory: any MetricsFactory
    private var processorSeconds: RunningTotal

    init(version: String, factory: any MetricsFactory) {
        self.factory = factory
        self.processorSeconds = RunningTotal("process.cpu.seconds.total", factory: factory)
        Meter(label: "roomline.build.info", dimensions: [("version", version)], factory: factory).set(1)
    }

    /// - Parameter historyBytes: `nil`: there is no history file.
    mutating func take(_ figures: ProcessFigures, loops: Int, historyBytes: Int?) {
        self.processorSeconds.follow(figures.processorSeconds)
        self.set("roomline.uptime.seconds", figures.uptimeSeconds)
        self.set("roomline.event.loops", Double(loops))
        self.set("process.start.time.seconds", figures.startSeconds)
        self.set("process.resident.memory.bytes", figures.residentBytes.map(Double.init))
        self.set("process.open.fds", figures.openFiles.map(Double.init))
        self.set("process.max.fds", figures.fileLimit.map(Double.init))
        self.set("roomline.history.file.bytes", historyBytes.map(Double.init))
    }

    /// Sets the metric; a value that is not known is not shown.
    private func set(_ label: String, _ value: Double?) {
        if let value { Meter(label: label, factory: self.factory).set(value) }
    }
}

/// The figures that the system tells of this process; `nil` for those that it does not tell.
package struct ProcessFigures: Equatable, Sendable {
    /// Unix seconds.
    package var startSeconds: Double
    package var uptimeSeconds: Double
    /// User and system time together.
    package var processorSeconds: Double
    package var residentBytes: Int?
    package var openFiles: Int?
    package var fileLimit: Int?

    package init(startSeconds: Double, uptimeSeconds: Double, processorSeconds: Double) {
        self.startSeconds = startSeconds
        self.uptimeSeconds = uptimeSeconds
        self.processorSeconds = processorSeconds
    }

    /// Reads those that cost little, however much is open.
    ///
    /// - Parameter start: when the process began.
    package static func vital(since start: Date) -> ProcessFigures {
        var figures = ProcessFigures(
            startSeconds: start.timeIntervalSince1970,
            uptimeSeconds: max(0, -start.timeIntervalSinceNow),
            processorSeconds: Self.processorSeconds()
        )
        figures.residentBytes = Self.residentBytes()
        return figures
    }

    /// Reads all of them now, some from files of `/proc`.
    ///
    /// - Parameter start: when the process began.
    package static func current(since start: Date) -> ProcessFigures {
        var figures = self.vital(since: start)
        // Where there is no such directory, the number is not known.
        figures.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
        figures.fileLimit = Self.fileLimit()
        return figures
    }

    /// User and system time together.
    package static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time of the calling thread.
    package static func threadNanoseconds() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The second number of `statm` (proc(5)), in pages; `nil` where the system has no such file.
    package static func residentBytes() -> Int? {
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
