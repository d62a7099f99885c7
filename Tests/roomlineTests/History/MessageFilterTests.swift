import Foundation
import RoomAdmin
import Testing

@testable import roomline

@Suite struct MessageFilterTests {
    private static let date = Date(timeIntervalSince1970: 1_000)

    private func message(_ json: String = #""an Order #1234.""#) throws -> AdminMessage {
        try Golden.document(
            #"{"id":"i","timestamp":1000,"seq":1,"message":\#(json),"sender":{"id":"x1","clientData":{"name":"Luke"}}}"#
        )
    }

    private func filter(
        _ text: String? = nil,
        isExpression: Bool = false,
        ignoresCase: Bool = false,
        sender: String? = nil,
        times: Range<Date> = .distantPast ..< .distantFuture
    ) throws -> MessageFilter {
        try MessageFilter(
            text: text,
            isExpression: isExpression,
            ignoresCase: ignoresCase,
            sender: sender,
            times: times
        )
    }

    @Test func `a text stands as it is, an expression is one`() throws {
        #expect(try self.filter("#1234.").matches(self.message()))
        #expect(try !self.filter("#1.34").matches(self.message()))
        #expect(try self.filter("#1.34", isExpression: true).matches(self.message()))
        #expect(try !self.filter("order").matches(self.message()))
        #expect(try self.filter("order", ignoresCase: true).matches(self.message()))
        #expect(throws: CommandFailure.self) { try self.filter("(", isExpression: true) }
    }

    @Test func `a message that is not text is searched as JSON`() throws {
        #expect(try self.filter(#""n":1"#).matches(self.message(#"{"n":1}"#)))
    }

    @Test func `a message that has a text is shown by it, and found by all of it`() throws {
        let message = try self.message(#"{"text":"out of \"stock\"","level":2}"#)
        #expect(message.text == #"out of "stock""#)
        #expect(try self.filter(#""stock""#).matches(message) && self.filter(#""level":2"#).matches(message))
        #expect(try self.message(#"{"text":7}"#).text == #"{"text":7}"#)
    }

    @Test func `of a redacted message nothing is found, of a redaction its reason`() throws {
        let tombstone: AdminMessage = try Golden.document(
            #"{"id":"i","timestamp":1000,"seq":1,"message":null,"redacted":true,"sender":{"id":"x1"}}"#
        )
        #expect(try self.filter().matches(tombstone) && !self.filter("null").matches(tombstone))
        let redaction: AdminMessage = try Golden.document(
            #"{"id":"i","timestamp":1000,"seq":2,"target_seq":1,"target_id":"i","reason":"spam","sender":{"id":"x2"}}"#
        )
        #expect(try self.filter("spam").matches(redaction) && !self.filter("null").matches(redaction))
    }

    @Test(arguments: [("Luke", true), ("x1", true), ("luke", false), ("x", false)])
    func `a sender is named by name or id`(sender: String, fits: Bool) throws {
        #expect(try self.filter(sender: sender).matches(self.message()) == fits)
    }

    @Test func `the end of the time is not in it`() throws {
        #expect(try self.filter(times: Self.date..<Self.date.addingTimeInterval(1)).matches(self.message()))
        #expect(try !self.filter(times: .distantPast..<Self.date).matches(self.message()))
    }

    @Test(
        arguments: [
            ("2h", 1_795_266_727), ("2026-11-21", 1_795_219_200), ("2026-11-21T15:12", 1_795_273_920),
            ("2026-11-21 15:12:07", 1_795_273_927), ("2026-11-21T15:12:07Z", 1_795_273_927),
            ("2026-11-21T16:12:07+01:00", 1_795_273_927), ("2026-11-21T15:12:07.000Z", 1_795_273_927),
            ("2026-11-21 16:12:07 +01:00", 1_795_273_927),
        ] as [(String, Double)]
    )
    func `a moment is written in several ways`(text: String, seconds: Double) {
        let now = Date(timeIntervalSince1970: 1_795_273_927)
        #expect(MomentArgument(text, in: Golden.utc)?.date(now: now).timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "2", "yesterday", "2026-13-01", "2026-11-21T25:00", "2026-02-30"])
    func `anything else is no moment`(text: String) {
        #expect(MomentArgument(text, in: Golden.utc) == nil)
    }
}
