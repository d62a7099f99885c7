/// How a client reaches the broker. A test that runs over every one of them has its own in ``current``.
package enum ClientTransport: String, CaseIterable, Sendable {
    case tcp
    case webSocket

    @TaskLocal package static var current = ClientTransport.tcp

    /// The URL of a broker, or of a proxy before it.
    package func url(host: String = "127.0.0.1", port: Int) -> String {
        switch self {
        case .tcp: "tcp://\(host):\(port)"
        case .webSocket: "ws://\(host):\(port)"
        }
    }
}
