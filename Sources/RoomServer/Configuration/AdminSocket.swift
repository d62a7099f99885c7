/// Where the Unix socket of the admin side is.
package enum AdminSocket: Equatable, Sendable {
    /// `admin.sock` beside the broker's files; none for a broker that keeps nothing.
    case inDataDirectory
    case path(String)
    case off

    /// The file; `nil`: there is none.
    package func path(with storage: StorageLocation) -> String? {
        switch (self, storage) {
        case (.path(let path), _): path
        case (.inDataDirectory, .directory(let directory)): directory + "/admin.sock"
        case (.inDataDirectory, .memory), (.off, _): nil
        }
    }
}
