import Foundation
import RoomAdmin

/// Moments and durations of the admin API as people read them.
enum ShownTime {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// `2026-11-21 15:12:07 +01:00`, in the reader's time zone; a text that is no moment as it stands.
    static func moment(_ text: String, in timeZone: TimeZone) -> String {
        // A text that cannot be read is shown as it is.
        guard let date = try? Self.format.parse(text) else { return text }
        return self.moment(date, in: timeZone)
    }

    static func moment(_ time: AdminTime, in timeZone: TimeZone) -> String {
        self.moment(time.rawValue, in: timeZone)
    }

    static func moment(_ date: Date, in timeZone: TimeZone) -> String {
        let time = ClockTime(date, in: timeZone)
        return "\(time.day) \(time.seconds) \(time.offset)"
    }

    /// `14:05:00`, with the day in front of it where that is not today.
    static func end(_ date: Date, now: Date, in timeZone: TimeZone) -> String {
        let (time, today) = (ClockTime(date, in: timeZone), ClockTime(now, in: timeZone).day)
        return time.day == today ? time.seconds : "\(time.day) \(time.seconds)"
    }

    /// A text of the broker's for people, with its moments as the clock of the reader shows them.
    static func localized(_ text: String, now: Date, in timeZone: TimeZone) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) { match -> String in
            let moment = String(match.output)
            // A text that only looks like a moment stays as it is.
            guard let date = try? Date.ISO8601FormatStyle().parse(moment) else { return moment }
            return Self.end(date, now: now, in: timeZone)
        }
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

/// A moment as the clock and the calendar of a place show it.
struct ClockTime: Equatable, Sendable {
    private let parts: DateComponents
    private let offsetMinutes: Int

    init(_ date: Date, in timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        self.offsetMinutes = timeZone.secondsFromGMT(for: date) / 60
    }

    /// `2026-11-21`
    var day: String { [self.parts.year, self.parts.month, self.parts.day].map(Self.digits).joined(separator: "-") }
    /// `12:31`
    var minutes: String { [self.parts.hour, self.parts.minute].map(Self.digits).joined(separator: ":") }
    /// `12:31:05`
    var seconds: String { "\(self.minutes):\(Self.digits(self.parts.second))" }

    /// How far the clock is ahead of UTC: `+01:00`
    var offset: String {
        let (hours, minutes) = abs(self.offsetMinutes).quotientAndRemainder(dividingBy: 60)
        return "\(self.offsetMinutes < 0 ? "-" : "+")\(Self.digits(hours)):\(Self.digits(minutes))"
    }

    private static func digits(_ number: Int?) -> String {
        let text = "\(number ?? 0)"
        return text.count < 2 ? "0\(text)" : text
    }
}
