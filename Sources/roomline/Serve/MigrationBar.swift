import NIOConcurrencyHelpers
import RoomServer

/// The bar on the terminal of a broker whose start takes over the messages of an earlier version.
struct MigrationBar: Sendable {
    private let log: LogWriter
    private let start = ContinuousClock.now
    private let state = NIOLockedValueBox((progress: Progress(.bar, now: .zero), moved: UInt64(0)))

    /// `nil` where standard error is not a terminal that could show it.
    init?(environment: [String: String], log: LogWriter) {
        guard Palette(isTerminal: StandardOutput.errors.isTerminal, environment: environment) != .plain else {
            return nil
        }
        self.log = log
    }

    func show(moved: UInt64, total: UInt64) {
        let (now, columns) = (ContinuousClock.now - self.start, TerminalSize.columns(of: .errors))
        self.write { state in
            if moved == 0 { state.progress.begin("taking messages over", .counted("messages"), of: total, now: now) }
            state.progress.advance(by: moved - min(state.moved, moved))
            state.moved = moved
            return moved == total ? state.progress.end() : state.progress.shown(now: now, columns: columns)
        }
    }

    /// Something else can be written now.
    func end() {
        self.write { $0.progress.end() }
    }

    private func write(_ text: (inout (progress: Progress, moved: UInt64)) -> String?) {
        self.state.withLockedValue { state in
            if let text = text(&state) { self.log.write(text) }
        }
    }
}
