package import NIOCore

/// What one HTTP connection may take of the broker. Sizes in bytes.
package struct HTTPLimits: Equatable, Sendable {
    /// The path with its query, and each header field.
    package var field = 16 * 1024
    /// All header fields of a request.
    package var fields = 32 * 1024
    package var fieldCount = 100
    /// The largest that any route takes: it is held before anybody knows who sends it.
    package var body = 256 * 1024
    /// From the first byte of a request to the end of its header.
    package var headerTime = TimeAmount.seconds(10)
    /// From the end of its header to the end of its body.
    package var bodyTime = TimeAmount.seconds(30)
    /// Until a connection without a request is closed.
    package var idleTime = TimeAmount.seconds(60)
    /// How long a peer that is refused is listened to, so that it gets to read why.
    package var lingerTime = TimeAmount.seconds(1)

    package init() {}
}
