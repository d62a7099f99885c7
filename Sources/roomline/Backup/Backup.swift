import ArgumentParser
import Foundation
import RoomServer

/// `roomline backup`
struct Backup: AdminCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all that a running broker keeps.",
        discussion: AdminHelp.text(
            """
            The copy is of one moment: what was acknowledged before is in it, history and channels, secrets, admin tokens \
            and the audit log. The broker goes on meanwhile. It makes its copy in its own data directory first, so there has \
            to be room. DIRECTORY is made, for you alone: whoever reads it knows the secrets of all channels.

            The files are checked when they are here; a backup that is not whole leaves no DIRECTORY.
            """,
            ("backup /backups/roomline-2026-11-21", "Of the broker on this machine."),
            (
                "backup nightly --server https://chat.example --token-file ops.token",
                "Of one elsewhere; the token needs manage."
            ),
            ("restore /backups/roomline-2026-11-21 --dry-run", "Check a backup, and say what a restore would do.")
        )
    )

    @Argument(help: ArgumentHelp("The directory to make.", valueName: "DIRECTORY"))
    var directory: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        ProcessSetup.makeNewFilesPrivate()
        let directory = self.directory
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw CommandFailure(
                code: .usage,
                text: "\(directory) is there already; name a directory that is to be made"
            )
        }
        let signals = ProcessSignals(SIGINT, SIGTERM)
        let contents = try await withThrowingTaskGroup(of: BackupFolder.Contents?.self) { group in
            group.addTask { try await BackupFetch(client, to: directory).run() }
            group.addTask {
                for await _ in signals.stream {
                    throw CommandFailure(code: .refused, text: "ended by a signal; no backup was made")
                }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let contents else { return }
        try BackupSheet(contents, directory: directory).write(to: output)
    }
}
