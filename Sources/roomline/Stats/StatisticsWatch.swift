import Foundation
import NIOCore
import RoomAdmin

/// Asks for the statistics again and again and shows them until somebody ends it.
actor StatisticsWatch {
    private let client: AdminSession
    private let interval: Duration
    private let timeZone: TimeZone
    private let start = ContinuousClock.now
    private let show: @Sendable (StatisticsView) throws -> Void
    private var trend = StatisticsTrend()
    private var trouble: (since: Date, text: String)?
    private var order = ChannelOrder.connections

    /// - Parameter show: puts a view on the screen.
    init(
        client: AdminSession,
        every interval: Duration,
        timeZone: TimeZone,
        show: @escaping @Sendable (StatisticsView) throws -> Void
    ) {
        self.client = client
        self.interval = interval
        self.timeZone = timeZone
        self.show = show
    }

    /// Asks for the first statistics.
    ///
    /// - Throws: where they cannot be had: what refuses the first refuses all, and there is nothing to watch.
    func begin() async throws(CommandFailure) {
        let statistics = try await self.statistics()
        // Without them, as from an earlier broker, the graphs begin now.
        let hour = (try? await self.client.send(.figures()).samples) ?? []
        let (now, end) = (ContinuousClock.now - self.start, statistics.time.date)
        self.trend.begin(with: hour, now: now) { time in
            guard let end, let date = time.date, date <= end else { return nil }
            return .seconds(end.timeIntervalSince(date))
        }
        self.add(statistics)
    }

    /// Until q, Ctrl-C, the end of standard input or a signal; a terminal that is resized is drawn again, and other keys sort
    /// the channels.
    ///
    /// - Throws: where nobody reads any more.
    func run(signals: ProcessSignals) async throws {
        try self.draw()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.poll() }
            group.addTask { try await self.takeKeys() }
            group.addTask {
                for await signal in signals.stream {
                    guard signal == SIGWINCH else { return }
                    try await self.draw()
                }
            }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    private func poll() async throws {
        while true {
            try await Task.sleep(for: self.interval)
            do throws(CommandFailure) {
                self.add(try await self.statistics())
                self.trouble = nil
            } catch {
                let since = self.trouble?.since ?? Date()
                self.trouble = (since, StatisticsView.trouble(error, since: since, in: self.timeZone))
            }
            try self.draw()
        }
    }

    private func statistics() async throws(CommandFailure) -> AdminStatistics {
        try await self.client.send(.statistics)
    }

    private func add(_ statistics: AdminStatistics) {
        self.trend.add(statistics, now: ContinuousClock.now - self.start)
    }

    private func draw() throws {
        try self.show(
            StatisticsView(
                address: "\(self.client.address)",
                trend: self.trend,
                order: self.order,
                trouble: self.trouble?.text,
                timeZone: self.timeZone
            )
        )
    }

    /// Until one of them ends the view.
    private func takeKeys() async throws {
        let input = StandardInput()
        let endings: Set<UInt8> = [UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04]
        while let bytes = await input.next() {
            guard endings.isDisjoint(with: bytes) else { return }
            guard let order = bytes.compactMap({ ChannelOrder(key: $0) }).last, order != self.order else { continue }
            self.order = order
            try self.draw()
        }
    }
}

/// The terminal while `roomline stats --watch` has it: a screen beside the one with the shell's lines.
struct StatisticsScreen: Sendable {
    private let output: StandardOutput
    private let palette: Palette

    init(output: StandardOutput) {
        self.output = output
        self.palette = Palette(isTerminal: true, environment: ClientOptions.environment)
    }

    /// - Returns: whether standard input is a terminal, too.
    func open() throws(StandardOutput.Closed) -> Bool {
        guard RawMode.start() else { return false }
        try self.output.write("\u{1b}[?1049h\u{1b}[?25l")
        return true
    }

    /// Nothing of the view stays behind.
    func close() throws(StandardOutput.Closed) {
        try self.output.write("\u{1b}[?25h\u{1b}[?1049l")
        RawMode.leave()
    }

    /// Each row is written over the one before and only its rest is cleared, all in one write: nothing flickers.
    func show(_ view: StatisticsView) throws(StandardOutput.Closed) {
        let size = TerminalSize.current
        let rows = view.rows(columns: size.columns, rows: size.rows)
        let text = rows.map { $0.rendered(self.palette) + "\u{1b}[K" }.joined(separator: "\r\n")
        try self.output.write("\u{1b}[H\(text)\u{1b}[J")
    }
}
