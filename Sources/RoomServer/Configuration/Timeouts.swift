/// How long the broker waits, and for what.
package struct Timeouts: Equatable, Sendable {
    /// From the connect to the end of the handshake.
    package var handshake = Duration.seconds(10)
    /// The same for what may yet turn out to be a plain-text client: a person has to think of something to type.
    package var textHandshake = Duration.seconds(300)
    /// From the first byte of an HTTP request to the end of its header.
    package var httpHeader = Duration.seconds(10)
    /// Until an HTTP connection without a request is closed.
    package var httpIdle = Duration.seconds(60)
    /// From the first SIGTERM to the exit.
    package var drain = Duration.seconds(10)

    package init() {}
}
