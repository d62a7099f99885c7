/// Figures as a row of bars, the newest at the right end, between the lowest and the highest of those that are shown.
struct Sparkline: Equatable, Sendable {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    let text: String
    /// The ends of its range; `nil` where there are no figures.
    let range: ClosedRange<Double>?

    /// - Parameter columns: how many of the newest are shown.
    init(_ values: [Double], columns: Int) {
        let shown = values.suffix(max(columns, 0))
        guard let lowest = shown.min(), let highest = shown.max() else {
            (self.text, self.range) = ("", nil)
            return
        }
        self.range = lowest...highest
        self.text = String(
            shown.map { value in
                // what does not change is a line at the bottom, and no wall
                guard highest > lowest else { return Self.bars[0] }
                return Self.bars[Int(((value - lowest) / (highest - lowest) * Double(Self.bars.count - 1)).rounded())]
            }
        )
    }
}
