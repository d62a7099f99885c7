import Foundation

/// Moments and durations of the admin API as people read them.
enum ShownTime {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// `2026-11-21 15:12:07`, in the reader's time zone; a text that is no moment as it stands.
    static func moment(_ text: String, in timeZone: TimeZone) -> String {
        // What cannot be read is shown as it is.
        guard let date = try? Self.format.parse(text) else { return text }
        return self.moment(date, in: timeZone)
    }

    static func moment(_ date: Date, in timeZone: TimeZone) -> String {
        let time = ClockTime(date, in: timeZone)
        return "\(time.day) \(time.seconds)"
    }

    /// In the two largest units that are not nothing: `30d`, `1h 30m`, `0.4s`.
    static func duration(seconds: Double) -> String {
        guard seconds >= 1, seconds < 1e12 else { return seconds > 0 && seconds < 1 ? "\(seconds)s" : "0s" }
        var rest = Int(seconds)
        var parts: [String] = []
        for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
            if rest >= size { parts.append("\(rest / size)\(unit)") }
            rest %= size
        }
        return parts.prefix(2).joined(separator: " ")
    }
}
