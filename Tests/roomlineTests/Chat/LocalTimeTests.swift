import Foundation
import RoomClient
import Testing

@testable import roomline

@Suite struct LocalTimeTests {
    private static let rome = TimeZone(identifier: "Europe/Rome") ?? .gmt
    private static let now = Date(timeIntervalSince1970: 1_763_697_600)

    @Test(arguments: [
        (
            "you are muted in this room until 2025-11-21T05:00:00Z: spam",
            "you are muted in this room until 06:00:00: spam"
        ),
        ("you are banned until 2025-11-22T23:30:00Z", "you are banned until 2025-11-23 00:30:00"),
        ("until 2025-13-41T99:00:00Z", "until 2025-13-41T99:00:00Z"), ("no time", "no time"),
    ])
    func `moments in the broker's texts are shown as the reader's clock has them`(text: String, shown: String) {
        #expect(ShownTime.localized(text, now: Self.now, in: Self.rome) == shown)
    }
}
