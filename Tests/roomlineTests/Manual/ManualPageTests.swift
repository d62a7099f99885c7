import Testing

@testable import roomline

@Suite struct ManualPageTests {
    @Test func `every command has its place, with all its options`() throws {
        let text = try ManualPage().text(date: "2026-11-21", version: "0.1.0")
        let commands = try CommandHelp(of: Roomline.self).all
        #expect(commands.count > 40)
        for command in commands.dropFirst() {
            #expect(text.contains("\n.SS \"\(command.path.typed)"), "\(command.path)")
            for name in command.shownArguments.flatMap({ $0.names ?? [] })
            where !["help", "version", "h"].contains(name.name) {
                #expect(
                    text.contains("\\fB\(name.text.typed)") || text.contains(", \(name.text.typed)"),
                    "\(name.text)"
                )
            }
        }
    }

    /// And for "context add", which has options of the same names.
    @Test func `the options of the administration stand there once`() throws {
        let text = try ManualPage().text(date: "2026-11-21", version: "0.1.0")
        #expect(text.split(separator: "\\fB\("--trust".typed) FILE\\fR").count == 4)
        #expect(text.split(separator: "\\fB\("--socket".typed) PATH\\fR").count == 3)
        #expect(!text.contains("EXIT CODES\n.PP\n.nf\n  0   done"))
        #expect(text.hasPrefix(".TH \"ROOMLINE\" 1 2026-11-21 \"roomline 0.1.0\"\n"))
    }

    @Test func `nothing in a text is taken for a request`() {
        var page = Roff(title: "T", section: 1, date: "2026-11-21", source: "s")
        page.section("a \"b\"")
        page.paragraph(".dot \\ is-typed 'x' … " + String(repeating: "word ", count: 20) + ".end")
        page.literal(["'quoted", "  -v"])
        let lines = page.text.split(separator: "\n").map(String.init)
        #expect(lines[3] == ".SH \"a \\(dqb\\(dq\"")
        #expect(lines[4].hasPrefix("\\&.dot \\e is\\-typed 'x' \\[u2026] word"))
        #expect(lines.suffix(5) == [".PP", ".nf", "\\&'quoted", "  \\-v", ".fi"])
        #expect(lines.allSatisfy { $0.count < 90 })
    }
}

extension String {
    /// As a page has what is to be typed.
    fileprivate var typed: String { self.replacing("-", with: "\\-") }
}
