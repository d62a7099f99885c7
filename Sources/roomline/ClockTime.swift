import Foundation

/// A moment as the clock and the calendar of a place show it.
struct ClockTime: Equatable, Sendable {
    private let parts: DateComponents

    init(_ date: Date, in timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    }

    /// `2026-11-21`
    var day: String { [self.parts.year, self.parts.month, self.parts.day].map(Self.digits).joined(separator: "-") }
    /// `12:31`
    var minutes: String { [self.parts.hour, self.parts.minute].map(Self.digits).joined(separator: ":") }
    /// `12:31:05`
    var seconds: String { "\(self.minutes):\(Self.digits(self.parts.second))" }

    private static func digits(_ number: Int?) -> String {
        let text = "\(number ?? 0)"
        return text.count < 2 ? "0\(text)" : text
    }
}
