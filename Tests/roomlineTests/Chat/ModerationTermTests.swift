import Testing

@testable import roomline

@Suite struct ModerationTermTests {
    @Test(
        arguments: [
            ("", nil, nil), ("spam", nil, "spam"), ("for 1h", .seconds(3_600), nil),
            ("FOR 10m spam it is", .seconds(600), "spam it is"), ("for", nil, "for"),
            ("10m shouting", .seconds(600), "shouting"), ("1h", .seconds(3_600), nil),
            ("10m for shouting", .seconds(600), "for shouting"), ("h1", nil, "h1"),
            ("shouting 10m", .seconds(600), "shouting"), ("shouting for 1w", .seconds(604_800), "shouting"),
            ("1h shouting 10m", .seconds(3_600), "shouting 10m"), ("shouting 10", nil, "shouting 10"),
        ] as [(String, Duration?, String?)]
    )
    func `a term and a reason stand behind the name`(text: String, duration: Duration?, reason: String?) throws {
        let term = try ModerationTerm(text)
        #expect(term.duration == duration && term.reason == reason)
    }

    @Test(
        arguments: [
            ("--redact", nil, nil, true), ("--redact 1h spam", .seconds(3_600), "spam", true),
            ("1h --redact spam", .seconds(3_600), "spam", true),
            ("--redact spam 1h", .seconds(3_600), "spam", true),
        ] as [(String, Duration?, String?, Bool)]
    )
    func `messages go with a ban where it says so`(
        text: String,
        duration: Duration?,
        reason: String?,
        goes: Bool
    ) throws {
        let term = try ModerationTerm(text)
        #expect(term == ModerationTerm(duration: duration, reason: reason, isRedacting: goes))
    }

    @Test func `messages never stay because of where it says so`() throws {
        let text = "--redact stands right behind the name or the time, the reason behind it"
        #expect(throws: ModerationTarget.ParseError(text: text)) { try ModerationTerm("spam --redact") }
    }

    @Test(arguments: ["10", "10min", "3 strikes", "0s"])
    func `a number that is not a time is no reason either`(text: String) throws {
        #expect(throws: ModerationTarget.ParseError.self) { try ModerationTerm(text) }
    }

    @Test(arguments: ["soon", "1", "10ms", "-1h"])
    func `a term has to be a time`(word: String) throws {
        #expect(throws: ModerationTarget.ParseError(text: "\(word) is not a time; it has to be like 10m, 1h or 30d")) {
            try ModerationTerm("for \(word)")
        }
    }

    @Test(arguments: ["spam 0m", "shouting 10min", "shouting for 10 min", "-5m", "spam 5m.", "no 10 Minutes"])
    func `a time at the end that is none is refused`(text: String) {
        #expect(throws: ModerationTarget.ParseError.self) { try ModerationTerm(text) }
    }

    @Test(arguments: ["rule 5", "on the 2nd", "by a 4x4"])
    func `a reason may end with a number`(text: String) {
        #expect((try? ModerationTerm(text)) == ModerationTerm(reason: text))
    }
}
