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

    private let path: String
    private let opened: FileStamp

    /// `nil` where there is no such file.
    init?(_ path: String) {
        guard let opened = FileStamp(path) else { return nil }
        self.path = path
        self.opened = opened
    }

    func check() throws(Lost) {
        let now = FileStamp(self.path)
        guard now?.isSameFile(as: self.opened) != true else { return }
        throw Lost(path: self.path, isReplaced: now != nil)
    }
}
