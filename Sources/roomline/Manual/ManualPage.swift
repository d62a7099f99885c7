import ArgumentParser

/// The manual page of all commands, made from what the argument parser knows of them.
struct ManualPage: Sendable {
    /// What a screen of 80 columns has beside the margin of the page.
    private static let literalColumns = 72

    private let root: CommandHelp
    /// Options that many commands have: they are told of once.
    private let shared: [(title: String, arguments: [CommandHelp.Argument])]

    /// - Throws: where the parser tells its help in a form that is not known here.
    init() throws {
        self.root = try CommandHelp(of: Roomline.self)
        self.shared = [
            ("OPTIONS OF THE ADMINISTRATION", try Self.arguments(of: AdminOptions.self)),
            ("OPTIONS OF THE CLIENTS", try Self.arguments(of: ClientOptions.self)),
        ]
    }

    private static func arguments(of type: any ParsableArguments.Type) throws -> [CommandHelp.Argument] {
        try CommandHelp(of: type).shownArguments.filter { !Self.isAnywhere($0) }
    }

    /// - Parameter date: of the page, such as 2026-11-21.
    func text(date: String, version: String) -> String {
        var page = Roff(title: "ROOMLINE", section: 1, date: date, source: "roomline \(version)")
        page.section("NAME")
        page.paragraph("roomline - a room broker, its clients and its administration")
        page.section("SYNOPSIS")
        page.paragraph(self.root.usage)
        page.section("DESCRIPTION")
        page.paragraph(self.root.abstract ?? "")
        self.discussion(of: self.root, &page)
        page.paragraph("Each command has its --help, which says the same as this page.")
        page.section("COMMANDS")
        for command in self.root.all.dropFirst() { self.command(command, &page) }
        for (title, arguments) in self.shared {
            page.section(title)
            for argument in arguments { page.item(argument.title, argument.text) }
        }
        page.section("EXIT STATUS")
        page.paragraph("Of the commands of the administration:")
        for code in AdminHelp.exitCodes { page.item(code.number, code.meaning) }
        return page.text
    }

    private func command(_ command: CommandHelp, _ page: inout Roff) {
        page.subsection(command.usage)
        page.paragraph(command.abstract ?? "")
        self.discussion(of: command, &page)
        guard !command.isGroup else { return }
        var own = command.shownArguments.filter { !Self.isAnywhere($0) }
        var others: [String] = []
        for (title, arguments) in self.shared where !arguments.isEmpty && arguments.allSatisfy(own.contains) {
            own.removeAll(where: arguments.contains)
            others.append(title)
        }
        for argument in own { page.item(argument.title, argument.text) }
        for title in others { page.paragraph("It also has the options under \(title).") }
    }

    /// Paragraphs are filled; what is set in stays as it is, below its heading.
    private func discussion(of command: CommandHelp, _ page: inout Roff) {
        let discussion = (command.discussion ?? "").replacing(AdminHelp.exitCodeText, with: "")
        let text = HelpText(columns: Self.literalColumns, wrapsParagraphs: false).wrapped(discussion)
        var literal: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            if line.hasPrefix(" ") || (line.isEmpty && !literal.isEmpty) {
                literal.append(line)
                continue
            }
            Self.end(&literal, &page)
            if !line.isEmpty { page.paragraph(line) }
        }
        Self.end(&literal, &page)
    }

    private static func end(_ literal: inout [String], _ page: inout Roff) {
        while literal.last?.isEmpty == true { literal.removeLast() }
        if !literal.isEmpty { page.literal(literal) }
        literal = []
    }

    /// Every command has these.
    private static func isAnywhere(_ argument: CommandHelp.Argument) -> Bool {
        argument.names?.contains { $0.name == "help" || $0.name == "version" } ?? false
    }
}

extension CommandHelp.Argument {
    fileprivate var title: String {
        guard self.kind != .positional else { return self.valueName ?? "VALUE" }
        let names = (self.names ?? []).map(\.text).joined(separator: ", ")
        return self.kind == .option ? "\(names) \(self.valueName ?? "VALUE")" : names
    }

    fileprivate var text: String {
        (self.abstract ?? "") + (self.defaultValue.map { " (default: \($0))" } ?? "")
    }
}
