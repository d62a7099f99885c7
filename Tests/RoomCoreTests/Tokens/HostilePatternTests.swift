import NIOConcurrencyHelpers
import RoomModel
import Testing

@testable import RoomCore

/// Patterns that would take longer than the world lasts. A clock that goes on by some steps each time it is read takes the
/// place of the processor's, so that it does not matter how fast the machine is.
struct HostilePatternTests {
    private static let name = RoomName(String(repeating: "a", count: 199) + "!")

    private static let patterns = [
        "(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(a?){150}a{150}$", "(a*)*b", "(a*?)*?b", "(\\w+\\s?)*$x",
        "^(?=(a+)+$)(?=(a|aa)+$)x", "(?=(?=(?=(a+)+b)))", "(?!(a+)+$)a{198}b", "((a{0,100}){0,100}){0,100}$",
        "^(.+)(.+)(.+)(.+)\\1\\2\\3\\4x", "(?:(?:(?:a?)*)*)*b", ".*.*.*.*.*.*x", "(?i)(a+)+b", "(?<!b)(a+)+$",
    ]

    @Test(arguments: Self.patterns)
    func `a pattern that takes too long is stopped`(pattern: String) {
        let reads = NIOLockedValueBox<UInt64>(0)
        // 1/30 of what a pattern may use goes by each time: it has to be stopped after 30 looks at the clock.
        let clock = ProcessorClock {
            reads.withLockedValue {
                $0 += 1
                return $0 * TokenLimits.match / 30
            }
        }
        #expect(Self.table([("ok", true), (pattern, true)]).evaluate(Self.name, clock: clock).permission == .nothing)
        #expect(reads.withLockedValue { $0 } <= 34)
    }

    @Test func `a pattern that is slow in each of many rooms is given up`() {
        let reads = NIOLockedValueBox<UInt64>(0)
        let clock = ProcessorClock {
            reads.withLockedValue { reads in
                reads += 40_000
                return reads
            }
        }
        let table = Self.table([("^(team|group)-[0-9]+$", true)])
        let rooms = (0..<2_000).map { RoomName("team-\($0)") }
        let granted = rooms.prefix { table.evaluate($0, clock: clock).permission.publish }
        #expect((100..<1_000).contains(granted.count))
        #expect(reads.withLockedValue { $0 } < 2 * TokenLimits.slowTotal)
        #expect(table.permission(for: rooms[0]) == .nothing)
    }

    @Test(arguments: Self.patterns)
    func `it is not tried again, and what it denies is denied`(pattern: String) {
        let table = Self.table([(".*", true), (pattern, false)])
        #expect(table.permission(for: Self.name) == .nothing)
        let untouched = ProcessorClock {
            Issue.record("a pattern that was given up is tried")
            return 0
        }
        #expect(table.evaluate(RoomName("b"), clock: untouched).permission == .nothing)
    }

    @Test(arguments: [
        String(repeating: "(", count: 500), String(repeating: "\\p{L}", count: 150),
        String(repeating: "[[:L:]]", count: 100),
        String(repeating: "(a)", count: 300), String(repeating: "a{0,9}", count: 150),
        String(repeating: "\\b", count: 400),
        "(((((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9}){9}){9}){9})",
    ])
    func `what would be costly to compile is not compiled, and what it denies is denied`(pattern: String) {
        #expect(!ExpressionShape(pattern).isAffordable)
        #expect(Self.table([("a", true), (pattern, false)]).permission(for: Self.name) == .nothing)
        #expect(Self.table([("b", true), (pattern, true)]).permission(for: Self.name) == .nothing)
    }

    @Test(arguments: [
        #"^user-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"#, #"^(?:a|b|c|d|e|f|g|h)-room-\d+$"#,
        #"^observable-(?!private)[\w-]+(?:\.[\w-]+)*$"#, #"^\p{L}[\p{L}\p{N}_-]{0,30}$"#,
    ])
    func `what apps write is affordable`(pattern: String) {
        #expect(ExpressionShape(pattern).isAffordable)
    }

    @Test func `what all patterns of a token may use is bounded too, and what is left untried denies`() {
        let reads = NIOLockedValueBox<UInt64>(0)
        // Each look at the clock uses up what one pattern may.
        let clock = ProcessorClock {
            reads.withLockedValue {
                $0 += 1
                return $0 * TokenLimits.match
            }
        }
        let hostile = (0..<60).map { ("(a+)+\($0)$", true) }
        let table = Self.table([(".*", true)] + hostile + [("x(y|z)", false)])
        #expect(table.evaluate(Self.name, clock: clock).permission == .nothing)
        #expect(reads.withLockedValue { $0 } < 100)
        // Patterns that were not tried are not given up: with time, all is as the token says.
        #expect(table.evaluate(RoomName("b"), clock: ProcessorClock { 0 }).permission.publish)
    }

    @Test func `a member who makes a pattern slow with a room's name harms no other`() {
        let cache = ExpressionCache()
        let rules = [PermissionRule(pattern: RoomPattern("^(\\w+-?)+$"), publish: true)]
        let (hostile, other) = (PermissionTable(rules, expressions: cache), PermissionTable(rules, expressions: cache))
        #expect(hostile.permission(for: Self.name) == .nothing)
        #expect(hostile.permission(for: RoomName("room-7")) == .nothing)
        #expect(other.permission(for: RoomName("room-7")).publish)
    }

    @Test func `a ceiling of history that cannot be told holds`() throws {
        let permissions = #"{".*":{"history":50},"(a+)+$":{"history":3,"publish":true}}"#
        #expect(try TokenSample.permission(permissions, in: Self.name.text) == RoomPermission(history: 3))
        #expect(try TokenSample.permission(permissions, in: "b") == RoomPermission(history: 50))
    }

    @Test func `many patterns go through a small cache`() {
        let cache = ExpressionCache(capacity: 3)
        let clock = ProcessorClock { 0 }
        for round in 0..<3 {
            for number in 0..<20 {
                var budget = MatchBudget(clock: clock)
                let text = ExpressionText(text: "^(room-\(number))$")
                let verdict = cache.match(text, against: RoomName("room-\(number)"), within: &budget)
                #expect(verdict == .matches, "round \(round)")
                #expect(cache.count <= 6)
            }
        }
    }

    private static func table(_ rules: [(String, Bool)]) -> PermissionTable {
        PermissionTable(
            rules.map { PermissionRule(pattern: RoomPattern($0.0), publish: $0.1) },
            expressions: ExpressionCache()
        )
    }
}
