/// Why a backup could not be made. The text says why and what to do.
struct BackupFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
