import Foundation
import Testing

@testable import roomline

@Suite struct ShownTimeTests {
    @Test(
        arguments: [
            (0, "0s"), (0.4, "0.4s"), (59, "59s"), (60, "1m"), (90, "1m 30s"), (3_600, "1h"), (90_061, "1d 1h"),
            (2_592_000, "30d"), (86_460, "1d 1m"), (-5, "0s"), (.infinity, "0s"),
        ] as [(Double, String)]
    )
    func `a duration has two units at most`(seconds: Double, text: String) {
        #expect(ShownTime.duration(seconds: seconds) == text)
    }

    @Test func `a moment is shown where the reader is`() {
        let tokyo = TimeZone(identifier: "Asia/Tokyo") ?? Golden.utc
        #expect(ShownTime.moment("2026-11-21T15:12:07.120Z", in: Golden.utc) == "2026-11-21 15:12:07 +00:00")
        #expect(ShownTime.moment("2026-11-21T15:12:07.120Z", in: tokyo) == "2026-11-22 00:12:07 +09:00")
        let newfoundland = TimeZone(identifier: "America/St_Johns") ?? Golden.utc
        #expect(ShownTime.moment("2026-11-21T15:12:07.120Z", in: newfoundland) == "2026-11-21 11:42:07 -03:30")
        #expect(ShownTime.moment("soon", in: Golden.utc) == "soon")
    }
}
