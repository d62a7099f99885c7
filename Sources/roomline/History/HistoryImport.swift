import ArgumentParser
import Foundation
import NIOCore
import RoomAdmin
import RoomJSON
import RoomModel
import RoomWire

/// `roomline history import`
struct HistoryImport: AdminCommand {
    /// Below what the broker takes as one body, unless a single message needs more.
    private static let partBytes = 192 * 1024

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an export, or other JSON lines, as the history of a room.",
        discussion: AdminHelp.text(
            """
            The messages keep their ids, seqs, times, senders and texts, byte for byte. The room must have no messages: \
            "room clear" removes them, and "room lock" stops others from publishing during the import. The members are told \
            that the room has a new log. The command checks the whole FILE before it sends the first message.

            A line of another tool is one JSON object with a "message". Its order and its blanks do not matter, and the command \
            makes what is missing: "id" (a UUIDv7), "seq", "time" (RFC 3339) or "timestamp" (Unix seconds), and "sender" (an \
            object with an "id", or a name). Such lines have to be in the order of their times. A field that the history cannot \
            keep is an error.

            Messages that the room's retention does not keep are counted and reported.

            An import that is interrupted leaves the messages in the room that the broker has taken: remove them with \
            "room clear", and import the whole FILE again.
            """,
            ("history import lobby lobby.jsonl", "Import the output of \"history export lobby\"."),
            ("history import lobby - < chat.jsonl", "JSON lines of another tool, from standard input."),
            (
                "history import lobby lobby.jsonl --dry-run",
                "Check the file, and check that the room keeps a history and has no messages."
            )
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(
        help: ArgumentHelp(
            "A file of JSON lines, as \"history export\" or another tool writes them; - for standard input.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var file: String

    @Flag(help: "Check the file and the room, and change nothing.")
    var dryRun = false

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let file = try ExportFile(
            path: self.file,
            limits: Self.limits,
            now: Int64(Date().timeIntervalSince1970 * 1_000)
        )
        let checked = try await ProgressReport.during(isQuiet: output.isJSON) { report in
            report.begin("checking \(file.name)", .counted("messages"))
            var range: (first: UInt64, last: UInt64)?
            try await file.read { _, entry in
                range = (range?.first ?? entry.seq, entry.seq)
                report.advance(by: 1)
            }
            return range
        }
        guard let range = checked else { return }
        let count = range.last - range.first + 1
        if self.dryRun {
            if output.isJSON {
                try output.write(
                    JSONTree.object([
                        .init("messages", .integer(count)), .init("first_seq", .integer(range.first)),
                        .init("seq", .integer(range.last)),
                    ]).bytes
                )
            }
            let summary = "\(Counted.text(count, "message")), \(range.first) to \(range.last)"
            do throws(CommandFailure) {
                try await self.checkRoom(client)
                CommandFailure.say("\(summary); the file and the room were checked, and nothing was imported")
            } catch {
                guard error.code == .unavailable else { throw error }
                CommandFailure.say("\(summary); only the file was checked: \(error.text)")
            }
            return
        }
        let kept = try await ProgressReport.during(isQuiet: output.isJSON) { report in
            report.begin("importing", .counted("messages"), of: count)
            var importer = HistoryImporter(
                client,
                file: file.name,
                room: self.room.name,
                channel: self.room.channel.channel,
                clearing: self.clearing,
                partBytes: Self.partBytes
            )
            try await file.read { line, entry in
                try await importer.add(line, entry)
                report.advance(by: 1)
            }
            return try await importer.finish()
        }
        let lost = min(kept.oldestSeq - min(kept.oldestSeq, range.first), count)
        if output.isJSON {
            try output.write(
                JSONTree.object([
                    .init("messages", .integer(count)), .init("not_kept", .integer(lost)),
                    .init("first_seq", .integer(range.first)), .init("seq", .integer(kept.seq)),
                    .init("epoch", .string(kept.epoch)),
                ]).bytes
            )
        } else {
            CommandFailure.say("\(Counted.text(count, "message")), the last is \(kept.seq)")
            if lost > 0 {
                CommandFailure.say("\(lost) of them are beyond the retention of the room, and are not served")
            }
        }
    }

    /// Asks whether the room could take an import now.
    ///
    /// - Throws: where there is no such channel, the room keeps no history or has messages.
    private func checkRoom(_ client: AdminSession) async throws(CommandFailure) {
        let room = try await client.send(.history(of: self.room.name, in: self.room.channel.channel, limit: 1))
        guard room.seq == 0 else {
            throw CommandFailure(
                code: .refused,
                text: "the room \(self.room.name) has messages, so it accepts no import; run \"\(self.clearing)\" first"
            )
        }
    }

    /// The command that makes place for an import.
    private var clearing: String {
        "roomline room clear \(self.room.name.shellQuoted)\(self.room.channel.option)\(self.admin.option)"
    }

    /// The broker has its own limits; these only keep the lines of a file that is something else within bounds.
    private static var limits: FrameLimits {
        var limits = FrameLimits()
        limits.message = limits.endlessLine
        limits.nesting = 1_024
        return limits
    }
}
