import ArgumentParser
import Foundation
import RoomServer

/// `roomline restore`
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of what a broker has kept.",
        discussion: AdminHelp.text(
            """
            The broker of the data directory has to be stopped. The backup is checked first: its checksums, and its databases \
            from end to end. Data that is there already is moved aside, never deleted, and only with --replace.

            What was published after the backup was made is gone. Every room begins another epoch, so that clients that come \
            back are told so by a gap, and ids go on above all that were given.
            """,
            ("restore /backups/roomline-2026-11-21 --dry-run", "Check it, and say what would be done."),
            ("restore /backups/roomline-2026-11-21", "Into a data directory that is empty."),
            ("restore nightly --data /srv/roomline --replace", "In the place of other data, after a question.")
        )
    )

    @Argument(help: ArgumentHelp("What \"roomline backup\" has made.", valueName: "DIRECTORY"))
    var directory: String

    @Option(
        help: ArgumentHelp(
            "The data directory to restore into. The environment variable is ROOMLINE_DATA. (default: the one that \"roomline serve\" takes)",
            valueName: "DIRECTORY"
        )
    )
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file of \"roomline serve\", which may name the data directory.",
            valueName: "FILE"
        )
    )
    var config: String?

    @Flag(help: "Move the data that is there aside.")
    var replace = false

    @Flag(help: "Check everything and change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
        try await CommandFailure.reporting { try self.restore() }
    }

    private func restore() throws {
        ProcessSetup.makeNewFilesPrivate()
        let data = try ServeSettings.dataDirectory(self.data, config: self.config)
        let restore = Restore(from: self.directory, to: data, replacing: self.replace)
        let output = AdminOutput(isJSON: self.json)
        let contents = try Self.reporting { () throws(BackupFolderError) in try restore.check() }
        if self.dryRun {
            let aside = restore.meetsData ? "\(data)/replaced-TIME" : nil
            try BackupSheet(contents, directory: self.directory, data: data, replaced: aside).write(to: output)
            CommandFailure.say("nothing was changed")
            return
        }
        if restore.meetsData {
            try Confirmation.ask("puts a backup in the place of the data in \(data)", isGiven: self.yes)
        }
        let outcome = try Self.reporting { () throws(BackupFolderError) in try restore.run(contents) }
        let aside = outcome.replaced.map { "\(data)/\($0)" }
        try BackupSheet(contents, directory: self.directory, data: data, replaced: aside).write(to: output)
    }

    private static func reporting<Value>(
        _ work: () throws(BackupFolderError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(BackupFolderError) {
            return try work()
        } catch {
            throw CommandFailure(code: .refused, text: error.text)
        }
    }
}
