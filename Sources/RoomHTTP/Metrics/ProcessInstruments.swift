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

    /// What is not known is not shown.
    private func set(_ label: String, _ value: Double?) {
        if let value { Meter(label: label, factory: self.factory).set(value) }
    }
}
