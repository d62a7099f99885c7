/// Figures as a graph of bars, the newest at the right end, between the lowest and the highest of those that are shown.
struct Sparkline: Equatable, Sendable {
    private static let bars = Array(" ▁▂▃▄▅▆▇█")
    private static let steps = 8

    /// From the top; none where there are no figures.
    let rows: [String]
    /// The ends of its range; `nil` where there are no figures.
    let range: ClosedRange<Double>?

    /// - Parameters:
    ///   - columns: how many of the newest are shown.
    ///   - height: how many rows it has.
    init(_ values: [Double], columns: Int, height: Int = 1) {
        let shown = values.suffix(max(columns, 0))
        guard let lowest = shown.min(), let highest = shown.max() else {
            (self.rows, self.range) = ([], nil)
            return
        }
        self.range = lowest...highest
        let heights = shown.map { value in
            // what does not change is a line at the bottom, and no wall
            guard highest > lowest else { return 1 }
            return 1 + Int(((value - lowest) / (highest - lowest) * Double(height * Self.steps - 1)).rounded())
        }
        self.rows = (0..<height).reversed().map { row in
            String(heights.map { Self.bars[min(max($0 - row * Self.steps, 0), Self.steps)] })
        }
    }
}
