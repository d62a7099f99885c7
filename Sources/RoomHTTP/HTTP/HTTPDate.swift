import NIOConcurrencyHelpers

/// The `Date` of answers, made once a second.
final class HTTPDate: Sendable {
    private let last = NIOLockedValueBox((second: Int64.min, text: ""))

    /// - Parameter second: Unix seconds.
    func text(at second: Int64) -> String {
        self.last.withLockedValue { last in
            if last.second != second { last = (second, Self.format(second)) }
            return last.text
        }
    }

    /// As `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func format(_ second: Int64) -> String {
        let (days, time) = (Int(second / 86_400), Int(second % 86_400))
        let (year, month, day) = self.civil(days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
        let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
        let clock = [time / 3_600, time / 60 % 60, time % 60].map(self.twoDigits).joined(separator: ":")
        return "\(weekday), \(self.twoDigits(day)) \(name) \(year) \(clock) GMT"
    }

    /// Days since 1970 in the Gregorian calendar, counted in years that begin in March so that a leap day comes last.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
