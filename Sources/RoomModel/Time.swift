/// A moment as texts for people name it: `2025-11-21T04:00:00Z`.
package enum UTCTime {
    /// - Parameter milliseconds: Unix milliseconds; what is below a second is left out.
    package static func text(milliseconds: Int64) -> String {
        let seconds = Self.floored(milliseconds, by: 1_000).quotient
        let (days, rest) = Self.floored(seconds, by: 86_400)
        let (year, month, day) = Self.date(days: days)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { Self.digits($0, 2) }
        return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T"
            + "\(time.joined(separator: ":"))Z"
    }

    /// The proleptic Gregorian date of a day, counted from 1970-01-01 (Howard Hinnant, `civil_from_days`).
    package static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = Self.floored(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // counted from March, so that a leap day is a year's last
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension Duration {
    /// Rounded down; the highest or lowest number where they are too many.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
