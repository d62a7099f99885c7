import NIOConcurrencyHelpers

/// Says on standard error how far a command is: a bar on a terminal, a line every few seconds elsewhere, nothing with
/// `--json`. It goes on to say so while the work says nothing.
struct ProgressReport: Sendable {
    private let progress: NIOLockedValueBox<Progress>
    private let output: StandardOutput
    private let clock = ContinuousClock.now

    private init(_ form: Progress.Form, _ output: StandardOutput) {
        self.progress = NIOLockedValueBox(Progress(form, now: .zero))
        self.output = output
    }

    /// - Parameter isQuiet: nothing is said, as with `--json`.
    static func during<Value: Sendable>(
        isQuiet: Bool,
        output: StandardOutput = .errors,
        _ work: (ProgressReport) async throws -> Value
    ) async throws -> Value {
        let palette = Palette(isTerminal: output.isTerminal, environment: ClientOptions.environment)
        let form: Progress.Form = isQuiet ? .none : palette == .plain ? .lines : .bar
        let report = ProgressReport(form, output)
        guard form != .none else { return try await work(report) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Ends when it is cancelled.
                while (try? await Task.sleep(for: Progress.redrawn)) != nil { report.show() }
            }
            defer {
                group.cancelAll()
                report.end()
            }
            return try await work(report)
        }
    }

    func begin(_ name: String, _ unit: Progress.Unit = .bytes, of total: UInt64? = nil) {
        self.progress.withLockedValue { $0.begin(name, unit, of: total, now: self.now) }
    }

    func advance(by count: some BinaryInteger) {
        self.progress.withLockedValue { $0.advance(by: UInt64(clamping: count)) }
    }

    /// Takes the bar away, so that something else can be written.
    func hide() {
        self.write { $0.hide() }
    }

    private func end() {
        self.write { $0.end() }
    }

    private func show() {
        let (now, columns) = (self.now, TerminalSize.columns(of: self.output))
        self.write { $0.shown(now: now, columns: columns) }
    }

    private var now: Duration { ContinuousClock.now - self.clock }

    /// Within the lock, so that nothing comes behind what takes the bar away.
    private func write(_ text: (inout Progress) -> String?) {
        self.progress.withLockedValue { progress in
            // Where nobody looks any more, nobody misses it.
            if let text = text(&progress) { try? self.output.write(text) }
        }
    }
}
