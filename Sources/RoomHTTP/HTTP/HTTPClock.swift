import NIOConcurrencyHelpers
import RoomModel

/// The times that the HTTP side goes by.
package struct HTTPClock: Sendable {
    /// Unix seconds.
    package let unixSeconds: @Sendable () -> Int64
    /// Monotonic nanoseconds.
    package let uptime: @Sendable () -> UInt64

    package init(unixSeconds: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> UInt64) {
        self.unixSeconds = unixSeconds
        self.uptime = uptime
    }
}

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
        let (days, time) = second.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = UTCTime.date(days: days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][Int(month) - 1]
        let clock = [time / 3_600, time / 60 % 60, time % 60].map(self.twoDigits).joined(separator: ":")
        return "\(weekday), \(self.twoDigits(day)) \(name) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
