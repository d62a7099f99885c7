import RoomBench

/// One line on standard error that says how far it is; nothing where that is not a terminal.
struct BenchProgressLine: Sendable {
    private let output: StandardOutput
    private let isTerminal: Bool

    init(output: StandardOutput) {
        self.output = output
        self.isTerminal = output.isTerminal
    }

    func show(_ progress: BenchProgress) {
        self.replace(with: Self.text(progress).shortened(toColumns: TerminalSize.columns - 1))
    }

    func clear() {
        self.replace(with: "")
    }

    private func replace(with text: String) {
        guard self.isTerminal else { return }
        // Where nobody looks any more, nobody misses it.
        try? self.output.write("\r\(text)\u{1b}[K")
    }

    static func text(_ progress: BenchProgress) -> String {
        let name = progress.workload.rawValue
        let rate = "\(BenchFigure.count(progress.operationsPerSecond)) \(progress.workload.operation)/s"
        return switch progress.step {
        case .connecting(let done, let total): "\(name): \(done) of \(total) connections"
        case .warmingUp: "\(name): warming up"
        case .round(let number, let total): "\(name): round \(number) of \(total), \(rate)"
        case .atRest: "\(name): at rest"
        case .closing: "\(name): closing"
        }
    }
}
