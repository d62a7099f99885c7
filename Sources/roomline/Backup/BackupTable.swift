import RoomAdmin
import RoomJSON
import RoomModel
import RoomServer

/// The contents of a backup, and what became of it.
struct BackupTable {
    let contents: BackupFolder.Contents
    let directory: String
    /// The data directory that it goes to, where it does.
    var data: String?
    /// Where that has its files until now, or would have them.
    var replaced: String?

    func write(to output: AdminOutput) throws(StandardOutput.Closed) {
        if output.isJSON {
            try output.write(self.tree.bytes)
        } else {
            try output.write(self.sheet(output))
        }
    }

    private var bytes: Int64 { self.contents.manifest.files.reduce(0) { $0 + $1.bytes } }

    private func sheet(_ output: AdminOutput) -> FactTable {
        var sheet = FactTable()
        if let data { sheet.add("data", Cell(data)) }
        sheet.add("backup", Cell(self.directory))
        sheet.add("of", Cell(ShownTime.moment(self.contents.manifest.created, in: output.timeZone)))
        sheet.add("channels", Cell(self.contents.channels))
        sheet.add("rooms", Cell(self.contents.rooms))
        sheet.add("messages", Cell(self.contents.messages))
        sheet.add("audit entries", Cell(self.contents.auditEntries))
        sheet.add("bytes", Cell(self.bytes))
        if let replaced { sheet.add("replaced", Cell(replaced)) }
        return sheet
    }

    private var tree: JSONTree {
        let data: [JSONTree.Field] = self.data.map { [.init("data", .string($0))] } ?? []
        let replaced: [JSONTree.Field] = self.replaced.map { [.init("replaced", .string($0))] } ?? []
        return .object(
            data + [
                .init("backup", .string(self.directory)), .init("id", .string(self.contents.manifest.id)),
                .init("created", .string(self.contents.manifest.created)),
                .init("channels", .integer(self.contents.channels)), .init("rooms", .integer(self.contents.rooms)),
                .init("messages", .integer(self.contents.messages)),
                .init("audit_entries", .integer(self.contents.auditEntries)), .init("bytes", .integer(self.bytes)),
            ] + replaced
        )
    }
}
