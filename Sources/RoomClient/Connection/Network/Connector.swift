package import NIOCore

/// Opens connections to the broker. Tests replace the network by another one.
protocol Connector: Sendable {
    /// - Parameter handler: made for the new channel, on its event loop.
    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel>
}

extension RoomClientError {
    /// The error of an attempt that opened no connection.
    init(connectingTo address: BrokerAddress, _ error: any Error) {
        // Network.framework opens a connection and agrees on its keys in one step.
        if let failure = TLSFailure(error, nil) {
            self.init(noEncryption: failure, error)
            return
        }
        let question = ErrorReason.isUnknownName(error) ? "is the name right?" : "is the broker running there?"
        let reason = ErrorReason.text(error)
        let text = "cannot connect to \(address.host) port \(address.port) (\(reason)): \(question)"
        self.init(.connectionFailed, text, cause: error)
    }

    /// The error of a connection that had been opened.
    ///
    /// - Parameters:
    ///   - wasReady: it had worked: a broker that is killed ends TLS without its goodbye, which is an error there.
    ///   - context: of the handler that was told.
    package init(connection error: any Error, wasReady: Bool, _ context: ChannelHandlerContext) {
        if !wasReady, let failure = TLSFailure(error, context) {
            self.init(noEncryption: failure, error)
        } else {
            let text = "the connection to the broker failed: \(ErrorReason.text(error))"
            self.init(.connectionLost, text, cause: error)
        }
    }
    private init(noEncryption failure: TLSFailure, _ error: any Error) {
        self.init(.connectionFailed, "no encrypted connection: \(failure.reason)", cause: error)
    }
}
