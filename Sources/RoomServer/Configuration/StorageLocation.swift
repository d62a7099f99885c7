/// Where history and channels are kept.
package enum StorageLocation: Equatable, Sendable {
    /// Nothing outlives the process.
    case memory
    /// The path of a directory, made at start if it is missing.
    case directory(String)

    /// `roomline` in the user's data directory, by the rules of the XDG base directory specification.
    ///
    /// `nil` where neither variable leads to a directory, as in a bare container.
    package static func userDirectory(environment: [String: String]) -> StorageLocation? {
        // The specification has a relative path ignored.
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return .directory(base + "/roomline") }
        if let home = environment["HOME"], home.hasPrefix("/") { return .directory(home + "/.local/share/roomline") }
        return nil
    }
}
