/// Whole numbers with a unit behind them: `64KiB`, `30s`.
package struct UnitScale: Sendable {
    struct Unit: Sendable {
        let suffix: String
        let factor: Int
        /// `false`: what people may write, and is shown in smaller units.
        var isShown = true
    }

    /// The smallest first.
    private let units: [Unit]

    static let bytes = UnitScale(units: [
        Unit(suffix: "", factor: 1), Unit(suffix: "KiB", factor: 1 << 10), Unit(suffix: "MiB", factor: 1 << 20),
        Unit(suffix: "GiB", factor: 1 << 30),
    ])

    package static let milliseconds = UnitScale(units: [
        Unit(suffix: "ms", factor: 1), Unit(suffix: "s", factor: 1_000), Unit(suffix: "m", factor: 60_000),
        Unit(suffix: "h", factor: 3_600_000), Unit(suffix: "d", factor: 86_400_000),
        Unit(suffix: "w", factor: 604_800_000, isShown: false),
    ])

    /// `nil` where the text is not a number, has another unit or is too large to be counted.
    package func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text[digits.endIndex...]
        guard let number = Int(digits), let unit = self.units.first(where: { $0.suffix == suffix }) else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        return overflow ? nil : value
    }

    /// In the largest unit that leaves a whole number.
    func format(_ value: Int) -> String {
        let unit = self.units.last { $0.isShown && value != 0 && value.isMultiple(of: $0.factor) } ?? self.units[0]
        return "\(value / unit.factor)\(unit.suffix)"
    }
}
