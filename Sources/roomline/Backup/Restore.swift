import ArgumentParser
import Foundation
import RoomServer

/// `roomline restore`
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into a data directory.",
        discussion: AdminHelp.text(
            """
            Stop the broker of the data directory first. The command checks the checksums and the databases of the backup \
            before it changes anything. With --replace it moves existing data aside; it never deletes data.

            Messages that were published after the backup are lost. Every room gets a new epoch, so clients that reconnect \
            are told of a gap. New ids are above all that were given before.
            """,
            ("restore /backups/roomline-2026-11-21 --dry-run", "Check the backup, and show what would be done."),
            ("restore /backups/roomline-2026-11-21", "Restore into an empty data directory."),
            ("restore nightly --data /srv/roomline --replace", "Replace other data, after a confirmation."),
            ("restore node-1 --data alone --alone", "Leave a cluster: go on alone with what a node had.")
        )
    )

    @Argument(help: ArgumentHelp("The directory that \"roomline backup\" created.", valueName: "DIRECTORY"))
    var directory: String

    @Option(
        help: ArgumentHelp(
            "The data directory to restore into. The environment variable is ROOMLINE_DATA. (default: the one that \"roomline serve\" uses)",
            valueName: "DIRECTORY"
        )
    )
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file of \"roomline serve\", which may set the data directory.",
            valueName: "FILE"
        )
    )
    var config: String?

    @Flag(help: "Take the backup of a cluster's node for a broker that runs alone, without --cluster.")
    var alone = false

    @Flag(help: "Move existing data aside.")
    var replace = false

    @Flag(help: "Check everything and change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
        try await CommandFailure.reporting { try await self.restore() }
    }

    private func restore() async throws {
        ProcessSetup.makeNewFilesPrivate()
        let data = try ServeSettings.dataDirectory(self.data, config: self.config)
        let directory = self.directory.directoryPath
        let restore = Restore(from: directory, to: data, replacing: self.replace, leavesCluster: self.alone)
        let output = AdminOutput(isJSON: self.json)
        let contents = try await self.working("checking the backup") { () throws(BackupFolderError) in
            if !self.dryRun, let refusal = restore.refusal { throw refusal }
            return try restore.checkBackup()
        }
        if self.dryRun {
            let aside = restore.meetsData ? "\(data)/replaced-TIME" : nil
            try BackupTable(contents: contents, directory: directory, data: data, replaced: aside).write(to: output)
            let refusal = restore.refusal.map {
                "; the backup is whole, and a restore would be refused now: \($0.text)"
            }
            CommandFailure.say("nothing was changed" + (refusal ?? ""))
            return
        }
        if restore.meetsData {
            try Confirmation.ask("replaces the data in \(data) with a backup", isGiven: self.yes)
        }
        let outcome = try await self.working("restoring") { () throws(BackupFolderError) in try restore.run(contents) }
        let aside = outcome.replaced.map { "\(data)/\($0)" }
        try BackupTable(contents: contents, directory: directory, data: data, replaced: aside).write(to: output)
    }

    /// - Parameter name: what is done, for whoever waits for it.
    private func working<Value: Sendable>(
        _ name: String,
        _ work: () throws(BackupFolderError) -> Value
    ) async throws -> Value {
        try await ProgressReport.during(isQuiet: self.json) { report in
            report.begin(name)
            do throws(BackupFolderError) {
                return try work()
            } catch {
                throw CommandFailure(code: .refused, text: error.text)
            }
        }
    }
}
