/// Where a broker listens, or is to listen.
struct BrokerPorts: Sendable {
    let tcp: Int
    /// `nil`: there is no HTTP.
    let http: Int?
}

extension BrokerPorts {
    /// Any that are free, for clients of this transport.
    init(for transport: ClientTransport) { self.init(tcp: 0, http: transport == .webSocket ? 0 : nil) }
}
