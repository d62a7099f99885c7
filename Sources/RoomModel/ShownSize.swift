/// Numbers of bytes as people read them, in powers of 1,024 as the options have them: `812 B`, `3.4 KiB`, `120 MiB`.
package enum ShownSize {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    package static func text(_ bytes: some BinaryInteger, isEstimate: Bool = false) -> String {
        (isEstimate ? "~" : "") + self.text(Double(bytes))
    }

    package static func text(_ bytes: Double) -> String {
        var (value, unit) = (max(bytes, 0), 0)
        // no more than three digits stand before the point
        while value >= 999.5, unit < self.units.count - 1 {
            value /= 1_024
            unit += 1
        }
        guard unit > 0, value < 99.95 else { return "\(Int(value.rounded())) \(self.units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(self.units[unit])"
    }
}
