package import Foundation
import Metrics
import RoomHost

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

    /// Reads those that cost little, however much is open.
    ///
    /// - Parameter start: when the process began.
    package static func vital(since start: Date) -> ProcessFigures {
        var figures = ProcessFigures(
            startSeconds: start.timeIntervalSince1970,
            uptimeSeconds: max(0, -start.timeIntervalSinceNow),
            processorSeconds: Double(ProcessorTime.ofThisProcess) / 1e9
        )
        figures.residentBytes = HostProcess.own.residentBytes
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

    private static func fileLimit() -> Int? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit > 0 ? limit : nil
    }
}
