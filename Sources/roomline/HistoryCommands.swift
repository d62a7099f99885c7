import ArgumentParser

/// `roomline history …`
struct HistoryCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Read what rooms have kept, redact it, and bring it back.",
        discussion: AdminHelp.group(
            "history show lobby --limit 20",
            "history search lobby 'out of stock' --since 2d",
            "history export lobby > lobby.jsonl",
            "history import lobby lobby.jsonl",
            "history redact lobby 41"
        ),
        subcommands: [
            HistoryShow.self, HistorySearch.self, HistoryExport.self, HistoryImport.self, HistoryRedact.self,
        ]
    )
}
