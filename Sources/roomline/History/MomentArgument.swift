import ArgumentParser
import Foundation

/// A moment: `2h` for so long ago, `2026-11-21`, `2026-11-21T14:30`, in the user's time zone, or with seconds and a zone as
/// RFC 3339 has them, or as a table shows it.
enum MomentArgument: ExpressibleByArgument, Equatable, Sendable {
    case ago(DurationArgument)
    case at(Date)

    init?(argument: String) {
        self.init(argument, in: .current)
    }

    /// - Throws: `ValidationError` that lists the forms.
    static func reading(_ text: String) throws -> MomentArgument {
        guard let moment = MomentArgument(argument: text) else {
            throw ValidationError(
                "give how long ago, such as 30m, 2h or 1d, or a time: 2026-11-21, 2026-11-21T14:30 or "
                    + "2026-11-21T14:30:00Z."
            )
        }
        return moment
    }

    init?(_ text: String, in timeZone: TimeZone) {
        if let duration = DurationArgument(argument: text) {
            self = .ago(duration)
            return
        }
        let text = Self.shown(text)
        let whole = try? Date.ISO8601FormatStyle().parse(text)
        let fractional = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
        guard let date = whole ?? fractional ?? Self.local(text, timeZone) else { return nil }
        self = .at(date)
    }

    func date(now: Date) -> Date {
        switch self {
        case .ago(let duration): now.addingTimeInterval(-duration.seconds)
        case .at(let date): date
        }
    }

    /// `2026-11-21 15:12:07 +01:00` in the form of RFC 3339; another text as it is.
    private static func shown(_ text: String) -> String {
        guard let parts = text.wholeMatch(of: /(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{2}:\d{2})/)?.output
        else {
            return text
        }
        return "\(parts.1)T\(parts.2)\(parts.3)"
    }

    private static func local(_ text: String, _ timeZone: TimeZone) -> Date? {
        let form = /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        var components = DateComponents()
        components.year = Int(parts.1)
        components.month = Int(parts.2)
        components.day = Int(parts.3)
        components.hour = parts.4.flatMap { Int($0) } ?? 0
        components.minute = parts.5.flatMap { Int($0) } ?? 0
        components.second = parts.6.flatMap { Int($0) } ?? 0
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        guard components.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: components)
    }
}
