import Foundation
import RoomModel
import RoomStore

/// Whether the databases are whole, read from end to end beside whatever else uses them.
struct DatabaseCheck {
    private static let namedRooms = 5

    let directory: DoctoredDirectory

    func findings() -> [Finding] {
        guard !self.directory.isHidden else {
            return [
                Finding(
                    "history",
                    .warning,
                    "the databases were not checked",
                    advice: "run the doctor as the user that they belong to"
                )
            ]
        }
        guard self.directory.exists else { return [] }
        return self.leftovers() + self.history() + self.control()
    }

    private func history() -> [Finding] {
        var largest: [LargeRoom] = []
        let history = self.check("history", "history.sqlite", ifMissing: self.missingHistory) {
            path throws(StoredFileError) in
            let isAtRest = !self.directory.isInUse
            let found = try StoredFile.history(path, naming: Self.namedRooms, isAtRest: isAtRest)
            largest = found.largest
            guard found.damaged.isEmpty else { return Self.damaged(found.damaged, path) }
            guard !found.mayHaveLost else { return Self.incomplete(path) }
            let text =
                "the history is whole: \(Counted.text(found.messages, "message")) in \(Counted.text(found.rooms, "room"))"
            return Finding("history", .ok, text)
        }
        return [history] + (largest.isEmpty ? [] : [Finding("rooms", .ok, Self.text(largest))])
    }

    private static func incomplete(_ path: String) -> Finding {
        Finding(
            "history",
            .warning,
            """
            \(path): the newest messages may be lost, nobody can tell: \(path)-wal or \(path)-commits is missing, cut or damaged
            """,
            advice: """
                if you have copied only one of the files, copy all of them before the next start, which begins new epochs: \
                readers get a gap
                """
        )
    }

    private static func text(_ rooms: [LargeRoom]) -> String {
        let rooms = rooms.map { room in
            let size = ShownSize.text(room.bytes)
            return "\(room.room) \(room.isEstimate ? "~" : "")\(size) (\(Counted.text(room.messages, "message")))"
        }
        return "the largest rooms: \(rooms.joined(separator: ", "))"
    }

    /// The most places that are named.
    private static let mostNamed = 20

    private static func damaged(_ damaged: [DamagedMessages], _ path: String) -> Finding {
        let places = damaged.prefix(self.mostNamed).map { place in
            let (first, last) = (place.seqs.lowerBound, place.seqs.upperBound)
            let seqs = first == last ? "message \(first)" : "messages \(first) to \(last)"
            return "\(seqs) of \(place.room.map { "\($0)" } ?? "an unknown room")"
        }
        let others = damaged.count - places.count
        let more = others > 0 ? ", and others in \(others) more places" : ""
        return Finding(
            "history",
            .problem,
            "\(path): damaged: \(places.joined(separator: ", "))\(more)",
            advice: """
                check the disk and the memory; readers get a gap with the reason "lost" in their place, and a backup may still \
                have them
                """
        )
    }

    private func control() -> [Finding] {
        var withoutHistory: [ChannelID] = []
        let control = self.check("control", "control.sqlite", ifMissing: self.missingControl) {
            path throws(StoredFileError) in
            let found = try StoredFile.control(path)
            withoutHistory = found.withoutHistory
            let text =
                "the control file is whole: \(Counted.text(found.channels, "channel")), \(Counted.text(found.auditEntries, "audit entry", "audit entries"))"
            return Finding("control", .ok, text)
        }
        return [control] + (withoutHistory.isEmpty ? [] : [Self.finding(withoutHistory)])
    }

    private static func finding(_ withoutHistory: [ChannelID]) -> Finding {
        let names = withoutHistory.prefix(self.mostNamed).map(\.text).joined(separator: ", ")
        let others = withoutHistory.count - self.mostNamed
        return Finding(
            "channels",
            .ok,
            "keep no history: \(names)\(others > 0 ? " and \(others) more" : "")",
            advice: "\"roomline channel set \(withoutHistory[0]) --history 1000\" keeps the messages of a channel"
        )
    }

    private var missingHistory: Finding {
        guard self.directory.status("history.sqlite-commits") != nil else {
            return Finding("history", .ok, "there is no history yet")
        }
        return Finding(
            "history",
            .problem,
            "\(self.directory.file("history.sqlite")) is missing, although other files of it are there: its messages are gone",
            advice: "put back a copy, or restore a backup; the next start begins without them"
        )
    }

    private var missingControl: Finding {
        let path = self.directory.file("control.sqlite")
        if self.directory.status("control.sqlite.backup") != nil {
            return Finding(
                "control",
                .problem,
                "\(path) is missing",
                advice: "the next start puts its last backup in its place"
            )
        }
        guard self.directory.status("history.sqlite") != nil else {
            return Finding("control", .ok, "there are no channels yet")
        }
        return Finding(
            "control",
            .problem,
            "\(path) and its backup are missing, although a history is there: no broker starts so",
            advice: "put back a copy of either, or start once with --accept-lost-channels to begin without the channels"
        )
    }

    /// - Parameter missing: what it means that the file is not there.
    private func check(
        _ name: String,
        _ file: String,
        ifMissing missing: Finding,
        _ look: (String) throws(StoredFileError) -> Finding
    ) -> Finding {
        let path = self.directory.file(file)
        guard let status = self.directory.status(file) else { return missing }
        // An open of a database that is at rest makes files beside it, which have to be its owner's.
        guard self.directory.isInUse || status.owner == geteuid() else {
            return Finding(
                name,
                .warning,
                "\(path) was not checked",
                advice: "run the doctor as the user that it belongs to"
            )
        }
        do throws(StoredFileError) {
            return try look(path)
        } catch {
            return Self.finding(name, error)
        }
    }

    private static func finding(_ name: String, _ error: StoredFileError) -> Finding {
        switch error.reason {
        case .damaged:
            Finding(
                name,
                .problem,
                "damaged: \(error.text)",
                advice: name == "control"
                    ? "start the broker anew: it moves the file aside and puts its last backup in its place; then look at the channels and bans"
                    : "stop the broker, keep a copy of the file, and restore a backup with \"roomline restore\""
            )
        case .newer: Finding(name, .problem, error.text, advice: "start the version that wrote it")
        case .busy: Finding(name, .warning, error.text, advice: "try again at a quieter time")
        case .missing, .unreadable:
            Finding(name, .problem, error.text, advice: "check the disk, and the owner and permissions of the file")
        }
    }

    private func leftovers() -> [Finding] {
        var findings: [Finding] = []
        if RestoreTarget.isUnfinished(self.directory.path) {
            findings.append(
                Finding(
                    "restore",
                    .problem,
                    "a restore into \(self.directory.path) was interrupted, and no broker starts there",
                    advice: "run \"roomline restore\" again, with --replace"
                )
            )
        }
        let corrupt = self.directory.names.filter {
            $0.contains(".corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-commits")
        }
        if !corrupt.isEmpty {
            findings.append(
                Finding(
                    "history",
                    .warning,
                    "a damaged file was moved aside: \(corrupt.joined(separator: ", "))",
                    advice: "look for the cause (disk, memory, a copy that was made of a file in use), then remove it"
                )
            )
        }
        return findings
    }
}
