/// Why a node cannot be part of its cluster: a stable word, and a text that says what would be right.
struct ClusterFailure: Error, Equatable, Sendable, CustomStringConvertible {
    enum Code: String, CaseIterable, Sendable {
        /// No server answers at the addresses that were given.
        case unreachable = "cluster_unreachable"
        /// A server does not let this user in, or not do what is needed.
        case denied = "cluster_denied"
        /// A certificate, a key or the way TLS is spoken.
        case tls = "cluster_tls"
        /// A file with credentials cannot be read, or an option is malformed.
        case settings = "cluster_settings"
        /// libnats is not installed, or is another version.
        case library = "cluster_library"
        /// A server is older than `ServerVersion.oldest`.
        case version = "cluster_version"
        case noJetStream = "cluster_no_jetstream"
        /// There are fewer servers than replicas.
        case replicas = "cluster_replicas"
        /// A stream is there, and is not what is needed.
        case streamDiffers = "cluster_stream_differs"
        /// The node's files are those of another cluster, or lack what this one began with.
        case originDiffers = "cluster_origin_differs"
        /// What the node has followed is not there any more.
        case streamsGone = "cluster_streams_gone"
        /// Nothing came in time, as while servers elect a leader.
        case noAnswer = "cluster_no_answer"
        /// JetStream refused for a reason that has no word of its own here.
        case refused = "cluster_refused"
    }

    var code: Code
    var text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// It is so for a while where the servers have just been started, or elect a leader.
    var mayPass: Bool {
        [.unreachable, .noAnswer, .noJetStream, .replicas, .streamsGone].contains(self.code)
    }

    var description: String { "\(self.text) (\(self.code.rawValue))" }
}
