/// Whether the nats-servers sync what they acknowledge to their disks first: without that, a power cut of all of them may lose it.
package enum ServerSyncs: Equatable, Sendable {
    /// Nobody has named the servers' monitoring addresses.
    case unknown
    /// All servers of the cluster do.
    case always
    /// At least one does not, or could not be asked; the text names it.
    case notAlways(String)
}
