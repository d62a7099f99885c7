import Foundation

/// Moves a corrupt database out of the way, with its companions, so that it can be looked at later.
enum CorruptFile {
    private static let companions = ["", "-wal", "-shm", "-journal", "-commits"]

    /// Returns the new path: the old one with `.corrupt-` and the UTC date and time. The companions keep their suffixes
    /// behind it, so that SQLite finds them.
    static func moveAside(_ path: String, now: Int64) throws -> String {
        let target = Self.unusedPath(for: path, now: now)
        let files = FileManager.default
        for companion in Self.companions where files.fileExists(atPath: path + companion) {
            try files.moveItem(atPath: path + companion, toPath: target + companion)
        }
        return target
    }

    /// Keeps a copy of one file.
    static func copyAside(_ path: String, now: Int64) throws {
        try FileManager.default.copyItem(atPath: path, toPath: Self.unusedPath(for: path, now: now))
    }

    private static func unusedPath(for path: String, now: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(now) / 1_000)
        let time = date.formatted(.iso8601.timeSeparator(.omitted))
        let target = "\(path).corrupt-\(time)"
        var numbered = target
        var number = 1
        while FileManager.default.fileExists(atPath: numbered) {
            number += 1
            numbered = "\(target)-\(number)"
        }
        return numbered
    }
}
