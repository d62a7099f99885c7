/// Figures as a graph of bars, the newest at the right end. The lowest is at the bottom. The highest is at the top only if the two
/// are far enough apart: noise of some percent is not to look like a mountain.
struct Sparkline: Equatable, Sendable {
    private static let bars = Array(" ▁▂▃▄▅▆▇█")
    private static let steps = 8
    /// The least span of a graph, as a part of its largest figure.
    private static let leastShare = 0.1

    /// From the top; none where there are no figures.
    let rows: [String]
    /// The lowest and the highest of the figures that are shown; `nil` where there are none.
    let range: ClosedRange<Double>?
    /// The row that has the top of the highest bar.
    let highestRow: Int

    /// - Parameters:
    ///   - columns: how many of the newest are shown.
    ///   - height: how many rows it has.
    ///   - leastSpan: the least difference that fills the graph, whatever its largest figure.
    init(_ values: [Double], columns: Int, height: Int = 1, leastSpan: Double = 0) {
        let shown = values.suffix(max(columns, 0))
        guard let lowest = shown.min(), let highest = shown.max() else {
            (self.rows, self.range, self.highestRow) = ([], nil, 0)
            return
        }
        self.range = lowest...highest
        let span = max(highest - lowest, max(abs(lowest), abs(highest)) * Self.leastShare, leastSpan)
        let heights = shown.map { value in
            // what does not change is a line at the bottom, and no wall
            guard span > 0 else { return 1 }
            return 1 + Int(((value - lowest) / span * Double(height * Self.steps - 1)).rounded())
        }
        self.rows = (0..<height).reversed().map { row in
            String(heights.map { Self.bars[min(max($0 - row * Self.steps, 0), Self.steps)] })
        }
        self.highestRow = height - 1 - ((heights.max() ?? 1) - 1) / Self.steps
    }
}
