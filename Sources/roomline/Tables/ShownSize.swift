import Foundation

/// Numbers of bytes as people read them, in powers of a thousand: `812 B`, `3.4 kB`, `120 MB`.
enum ShownSize {
    static func text(_ bytes: some BinaryInteger, isEstimate: Bool = false) -> String {
        (isEstimate ? "~" : "") + self.text(Double(bytes))
    }

    static func text(_ bytes: Double) -> String {
        var (value, unit) = (max(bytes, 0), 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        // what would be rounded to 1000 is one of the next unit
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        let isShort = unit == 0 || value >= 99.95
        return "\(String(format: isShort ? "%.0f" : "%.1f", value)) \(units[unit])"
    }
}
