import Foundation
import RoomStore

/// The data directory as the doctor sees it, which need not be there.
struct DoctoredDirectory: Sendable {
    let path: String
    /// Whether a broker runs on it.
    let isInUse: Bool

    init(_ path: String, isInUse: Bool) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.isInUse = isInUse
    }

    var exists: Bool { self.status() != nil }

    /// Whether this user may not look into it, or not even see whether it is there.
    var isHidden: Bool { access(self.path, R_OK | X_OK) != 0 && errno == EACCES }

    /// The directory itself, or the nearest above it that there is: where it would be made.
    var nearest: String {
        var path = URL(filePath: self.path)
        while !FileManager.default.fileExists(atPath: path.path), path.path != "/" { path.deleteLastPathComponent() }
        return path.path
    }

    func file(_ name: String) -> String { "\(self.path)/\(name)" }

    /// What the system says of a file in it, or of itself; `nil` where there is none.
    func status(_ name: String? = nil) -> FileStatus? { FileStatus(name.map(self.file) ?? self.path) }

    /// The names in it; none where it cannot be read.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted() }
}
