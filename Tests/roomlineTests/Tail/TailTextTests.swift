import Foundation
import Testing

@testable import RoomClient
@testable import roomline

@Suite struct TailTextTests {
    private static let zone = TimeZone(secondsFromGMT: 3_600) ?? .current
    /// 2026-11-21, half past eleven in the evening there.
    private static let evening = Date(timeIntervalSince1970: 1_795_300_200)

    private func line(_ text: inout TailText, after seconds: TimeInterval) -> String? {
        let sender = MessageSender.service(id: "a", kind: "admin")
        let notice = ModeratorNotice(text: "hi", code: nil, interval: nil, sender: sender)
        return text.line(for: .notice(notice), in: "r", now: Self.evening + seconds)
    }

    @Test func `the date is above the first line of another day`() {
        var text = TailText(timeZone: Self.zone, now: Self.evening)
        #expect(self.line(&text, after: 0) == "23:30:00 r * hi")
        #expect(self.line(&text, after: 1_799) == "23:59:59 r * hi")
        #expect(self.line(&text, after: 1_800) == "2026-11-22 +01:00\n00:00:00 r * hi")
        #expect(self.line(&text, after: 1_801) == "00:00:01 r * hi")
    }

    @Test func `what is older than today has its date, and so has what comes then`() {
        var text = TailText(timeZone: Self.zone, now: Self.evening)
        #expect(self.line(&text, after: -86_400) == "2026-11-20 +01:00\n23:30:00 r * hi")
        #expect(self.line(&text, after: 0) == "2026-11-21 +01:00\n23:30:00 r * hi")
    }
}
