import ArgumentParser
import RoomModel

/// What `member bans` and `member mutes` take, and what both do with it.
struct SanctionListOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @Option(help: ArgumentHelp("Only those of this room.", valueName: "ROOM"))
    var room: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"))
    var channel = "default"

    func show(_ kind: Sanction.Kind, _ client: AdminClient, _ output: AdminOutput) async throws {
        var query = [(name: "kind", value: kind.rawValue)]
        if let room { query.append(("room", room)) }
        if let subject = self.subject.subject { query.append(subject.field) }
        let request = AdminRequest(.get, ["channels", self.channel, "sanctions"], query: query)
        try await client.show("sanctions", of: request, on: output) { SanctionTables.list($0, in: output.timeZone) }
    }
}
