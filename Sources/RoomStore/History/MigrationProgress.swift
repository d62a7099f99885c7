/// How far the store is with the messages of an earlier version, which it takes over when it opens their file.
package enum MigrationProgress: Equatable, Sendable {
    /// There are such messages.
    case counting
    /// The last report has two equal numbers.
    case moved(UInt64, of: UInt64)
}
