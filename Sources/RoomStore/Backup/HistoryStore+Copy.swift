extension HistoryStore {
    /// Copies the history as it is at one moment; blocks until that is done.
    ///
    /// - Parameters:
    ///   - target: a file that is empty.
    ///   - pinned: is called at that moment.
    ///   - goingOn: is called after each step; the copy ends where it throws.
    /// - Throws: `BackupFailure`.
    func copy(to target: String, pinned: () throws -> Void, goingOn: @escaping () throws -> Void) throws {
        guard let file = self.supervisor.current.file, let path = self.supervisor.path else {
            throw BackupFailure("the history file cannot be read now; the broker's log says why")
        }
        try file.copy(path: path, to: target, pinned: pinned, goingOn: goingOn)
    }

    /// Ends a copy that is under way.
    func stopCopy() {
        self.supervisor.current.file?.stopCopy()
    }
}
