import Foundation

/// Notices that a file which a process has open was deleted, or that another one has its name: the system lets the process
/// go on writing, but nobody can open again what it writes.
struct FilePlace: Sendable {
    struct Lost: Error, Equatable, CustomStringConvertible {
        let path: String
        let isReplaced: Bool

        var description: String {
            """
            \(self.path) was \(self.isReplaced ? "replaced by another file" : "deleted or moved") while the broker had it \
            open, so what is stored now would be lost: put it back, or restart the broker
            """
        }
    }

    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.device = UInt64(truncatingIfNeeded: status.st_dev)
            self.number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let path: String
    private let identity: Identity

    /// `nil` where there is no such file.
    init?(_ path: String) {
        guard let identity = Identity(path) else { return nil }
        self.path = path
        self.identity = identity
    }

    func check() throws(Lost) {
        let now = Identity(self.path)
        guard now != self.identity else { return }
        throw Lost(path: self.path, isReplaced: now != nil)
    }
}
