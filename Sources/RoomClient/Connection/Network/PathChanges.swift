/// The way that the system's packets take at present.
struct NetworkPath: Equatable, Sendable {
    /// Whether packets can be sent.
    var isUsable: Bool
    /// The interface that the system prefers, such as `en0`.
    var interface: String?
    /// The routers: another one behind the same interface is another network.
    var gateways: Set<String> = []
}

/// Decides which changes of the network path are a reason to try to connect now. The system also reports changes that are none,
/// such as of the price of a path.
struct PathChanges: Equatable, Sendable {
    private var path: NetworkPath?

    /// - Returns: whether a connection may be possible that was not possible before, or the present one may be dead.
    mutating func moved(to path: NetworkPath) -> Bool {
        let earlier = self.path
        self.path = path
        // The first report is how the path was when the client began.
        guard let earlier, path.isUsable else { return false }
        return earlier != path
    }
}
