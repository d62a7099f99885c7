import Foundation

/// The system's facts about a file, not about the target of a link.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case file
        case directory
        case socket
        case link
        case other
    }

    package let kind: Kind
    /// The lowest nine bits: who may do what.
    package let permissions: UInt32
    package let owner: UInt32

    /// `nil` where there is none, or this user may not see it.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.permissions = UInt32(status.st_mode) & 0o777
        self.owner = UInt32(status.st_uid)
        self.kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            default: .other
            }
    }

    /// `mode 0644`
    package var modeText: String {
        let digits = String(self.permissions, radix: 8)
        return "mode " + String(repeating: "0", count: 4 - min(4, digits.count)) + digits
    }
}
