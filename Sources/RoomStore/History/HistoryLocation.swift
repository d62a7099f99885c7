/// Where a history is kept.
package enum HistoryLocation: Equatable, Sendable {
    /// In this file, with its `-wal` and `-shm` beside it.
    case file(String)
    /// In memory, for as long as the process lasts.
    case memory

    var path: String? {
        switch self {
        case .file(let path): path
        case .memory: nil
        }
    }
}
