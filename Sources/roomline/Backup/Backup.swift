import ArgumentParser
import Foundation
import RoomServer

/// `roomline backup`
struct Backup: AdminCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all data of a running broker.",
        discussion: AdminHelp.text(
            """
            The copy shows one moment: it has every message that was acknowledged before, and the channels, their secrets, \
            the admin tokens and the audit log. The broker keeps running. It writes the copy to its own data directory first, \
            so that disk needs enough space. The command creates DIRECTORY, which only you can read: it contains the secrets of \
            all channels.

            The command checks the files after it has fetched them. If the backup is not complete, there is no DIRECTORY.
            """,
            ("backup /backups/roomline-2026-11-21", "Back up the broker on this machine."),
            (
                "backup nightly --server https://chat.example --token-file ops.token",
                "Back up a broker elsewhere; the token needs the scope manage."
            ),
            ("restore /backups/roomline-2026-11-21 --dry-run", "Check a backup, and show what a restore would do.")
        )
    )

    @Argument(help: ArgumentHelp("The directory to create.", valueName: "DIRECTORY"), completion: .directory)
    var directory: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        ProcessSetup.makeNewFilesPrivate()
        let directory = self.directory.directoryPath
        guard !directory.isEmpty else { throw CommandFailure(code: .usage, text: "DIRECTORY is empty: give its path") }
        // It throws where there is nothing, not even a link that leads nowhere.
        guard (try? FileManager.default.attributesOfItem(atPath: directory)) == nil else {
            throw CommandFailure(
                code: .usage,
                text: "\(directory) is there already; give a directory that does not exist yet"
            )
        }
        let signals = ProcessSignals(SIGINT, SIGTERM)
        let contents = try await ProgressReport.during(isQuiet: output.isJSON) { report in
            try await withThrowingTaskGroup(of: BackupFolder.Contents?.self) { group in
                group.addTask { try await BackupFetch(client: client, directory: directory, report: report).run() }
                group.addTask {
                    for await _ in signals.stream {
                        throw CommandFailure(code: .refused, text: "interrupted by a signal; no backup was made")
                    }
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
        guard let contents else { return }
        try BackupTable(contents: contents, directory: directory).write(to: output)
    }
}
