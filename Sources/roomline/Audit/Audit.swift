import ArgumentParser
import Foundation
import NIOCore
import RoomAdmin
import RoomClient

/// `roomline audit`
struct Audit: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit log: each change, with its author, time and origin.",
        discussion: AdminHelp.text(
            "The newest entry comes first. The author of a change is uid:N on the admin socket and token:NAME elsewhere.",
            ("audit", "The last 50 changes."),
            ("audit --action channel.create --actor uid:0", "Only some of them."),
            ("audit --action ban --actor member:leia", "The bans by one moderator, by the word of the command."),
            ("audit --limit 100000 --json > audit.jsonl", "The whole log, with all details.")
        )
    )

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("Show at most this many entries.", valueName: "N"))
    var limit = 50

    @Option(
        help: ArgumentHelp(
            "Only entries with this action, such as channel.create, or of this command, such as ban.",
            valueName: "ACTION"
        ),
        completion: .list(AuditActionFilter.names),
        transform: AuditActionFilter.reading
    )
    var action: AuditActionFilter?

    @Option(
        help: ArgumentHelp("Only changes by this author: uid:0, token:ops or member:leia.", valueName: "ACTOR"),
        transform: AuditActor.reading
    )
    var actor: String?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard self.limit > 0 else { throw ValidationError("--limit has to be 1 or more.") }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let list = AdminList.audit(action: self.action?.name, actor: self.actor.map(TerminalText.readActor))
        try await client.show(
            list,
            limit: self.limit,
            on: output,
            as: { AuditTable.table($0, in: output.timeZone) },
            isShown: self.action.map { $0.isMeant }
        )
    }
}

/// The audit log as people read it.
enum AuditTable {
    static func table(_ entries: [AdminAuditEntry], in timeZone: TimeZone) -> Table {
        Table(
            [.moment("TIME"), .text("WHO"), .text("FROM"), .text("WHAT"), .text("ON"), .text("DETAILS")],
            entries.map { entry in
                [
                    Cell(ShownTime.moment(entry.time, in: timeZone)), Cell(TerminalText.actor(entry.actor)),
                    Cell(entry.origin), Cell(entry.action), Cell(entry.target),
                    .optional(entry.details) { TerminalText.json($0.description) },
                ]
            }
        )
    }
}
