/// Where a database is kept.
package enum StoreLocation: Equatable, Sendable {
    /// In this file, and SQLite's companions beside it.
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
