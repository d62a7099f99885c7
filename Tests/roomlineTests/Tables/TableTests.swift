import NIOCore
import Testing

@testable import roomline

@Suite struct TableTests {
    private let table = Table(
        [.text("ROOM"), .number("MEMBERS"), .text("NAME")],
        [
            [Cell("日本"), Cell(7), Cell("a long name that goes on")],
            [Cell("lobby\u{1b}[2J\nx"), Cell(12_345), Cell.none],
            [Cell("e\u{301}"), Cell(0), .name(of: Person(id: "1", name: "Luke", color: "#2e7d32"))],
        ]
    )

    @Test func `columns are as wide as what stands in them, and nobody's text leaves its line`() throws {
        try Golden.expect(self.table.lines(.plain), "table")
    }

    @Test func `the last column ends with the terminal`() throws {
        let lines = self.table.lines(.plain, width: 30)
        try Golden.expect(lines, "table-narrow")
        #expect(lines.allSatisfy { $0.columns <= 30 })
    }

    @Test func `a terminal with colours gets them`() throws {
        try Golden.expect(self.table.lines(.ansi256), "table-colours")
    }

    /// Of the widest tables, with the ids, times, names and numbers that a busy broker has.
    @Test(arguments: [40, 60, 72, 80, 100, 120])
    func `no line is wider than the terminal, and ids stay whole`(width: Int) throws {
        let moment = "2026-11-21 15:12:07 +00:00"
        let long = String(repeating: "name", count: 20)
        let tables = [
            Table(
                [
                    .id("MEMBER"), .text("ADDRESS"), .moment("SINCE"), .text("AS"), .number("LAG"), .text("USER"),
                    .text("NAME"),
                ],
                [
                    [
                        Cell("Kf3Qz81LmXw0TbR"), Cell("2001:db8:1234:5678:9abc:def0:1234:5678"), Cell(moment),
                        Cell("json"), Cell(12_345), Cell(long), Cell(long),
                    ],
                    [
                        Cell("Kf3Qz81LmXw0TbS"), Cell("::1"), Cell("away"), Cell.none, Cell.none, Cell.none,
                        Cell("Luke"),
                    ],
                ]
            ),
            Table(
                [
                    .number("BYTES"), .number("MESSAGES"), .number("MEMBERS"), .moment("OLDEST"), .moment("NEWEST"),
                    .text("EPOCH"), .text("ROOM"),
                ],
                [
                    [
                        Cell("~34.6 MiB"), Cell(1_234_567), Cell(1_000), Cell(moment), Cell(moment),
                        Cell("5f3c9a1e7b240d86"), Cell(long),
                    ]
                ]
            ),
        ]
        for table in tables {
            let lines = table.lines(.plain, width: width)
            #expect(lines.allSatisfy { $0.columns <= width }, "\(lines.joined(separator: "\n"))")
        }
        let members = tables[0].lines(.plain, width: width)
        #expect(width < 72 || members[1].hasPrefix("Kf3Qz81LmXw0TbR  ") && members[1].contains("2026-11-21"))
        #expect(width < 72 || members[2].hasPrefix("Kf3Qz81LmXw0TbS  ::1 ") && members[2].hasSuffix("Luke"))
        #expect(tables[0].lines(.plain)[1].hasSuffix(long))
    }

    @Test func `names are cut in their middle, so that those which differ at their end can be told apart`() {
        let names = (1...2).map { [Cell("room-with-a-long-name-\($0)"), Cell("a reason of several words")] }
        let lines = Table([.text("ROOM"), .text("REASON")], names).lines(.plain, width: 26)
        #expect(lines.dropFirst().map { String($0.prefix(12)) } == ["room-w…ame-1", "room-w…ame-2"])
        #expect(lines.dropFirst().allSatisfy { $0.contains("  a reason o") && $0.hasSuffix("…") })
    }

    @Test func `a table without rows is a head`() {
        #expect(Table([.text("A"), .number("B")], []).lines(.plain) == ["A  B"])
    }

    @Test func `a fact may have several lines, or none`() {
        var sheet = FactTable()
        sheet.add("limits", [Cell("rooms=3"), Cell("connections=9")])
        sheet.add("locked", [])
        #expect(sheet.lines(.plain) == ["limits  rooms=3", "        connections=9", "locked  -"])
        #expect(sheet.lines(.plain, width: 80) == sheet.lines(.plain))
    }

    @Test func `a fact that is wider than the terminal goes on below its beginning`() {
        var sheet = FactTable()
        sheet.add("stored", Cell("70123 messages of 9 rooms, ~34.6 MiB"))
        let expected = ["stored  70123 messages of", "        9 rooms, ~34.6 ", "        MiB"]
        #expect(sheet.lines(.plain, width: 25) == expected)
    }
}
