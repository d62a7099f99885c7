/// Figures as a row of bars, the newest at the right end.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// - Parameter columns: how many of the newest are shown.
    static func text(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(max(columns, 0))
        let highest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard highest > 0 else { return self.bars[0] }
                return self.bars[Int((value / highest * Double(self.bars.count - 1)).rounded())]
            }
        )
    }
}
