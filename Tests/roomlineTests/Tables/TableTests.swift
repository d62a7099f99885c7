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

    @Test func `a table without rows is a head`() {
        #expect(Table([.text("A"), .number("B")], []).lines(.plain) == ["A  B"])
    }

    @Test func `a fact may have several lines, or none`() {
        var sheet = FactSheet()
        sheet.add("limits", [Cell("rooms=3"), Cell("connections=9")])
        sheet.add("locked", [])
        #expect(sheet.lines(.plain) == ["limits  rooms=3", "        connections=9", "locked  -"])
    }
}
