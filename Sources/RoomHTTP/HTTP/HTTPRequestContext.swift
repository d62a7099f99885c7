package import Hummingbird
package import Logging

/// What a route knows of its request beside the request itself.
package struct HTTPRequestContext: RequestContext {
    package typealias Source = HTTPRequestSource

    package var coreContext: CoreRequestContextStorage
    package let peer: HTTPPeer
    /// Turned on once the broker drains: what streams its answer has to end it then.
    package let drain: DrainSignal

    package init(source: HTTPRequestSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.peer = source.peer
        self.drain = source.drain
    }
}

/// What a context is made of.
package struct HTTPRequestSource: RequestContextSource {
    package let logger: Logger
    package let peer: HTTPPeer
    package let drain: DrainSignal

    package init(logger: Logger, peer: HTTPPeer, drain: DrainSignal) {
        self.logger = logger
        self.peer = peer
        self.drain = drain
    }
}
