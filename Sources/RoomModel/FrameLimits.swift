/// How large what a client sends may be (protocol §3, limits). Sizes in bytes.
package struct FrameLimits: Equatable, Sendable {
    package var line = 128 * 1024
    package var message = 64 * 1024
    package var clientData = 2 * 1024
    package var nesting = 64
    package var roomName = 200
    /// Rooms named in one `subscribe` or `unsubscribe`.
    package var roomsPerFrame = 1_000
    /// Beyond this much of one line without an end, the connection is closed.
    package var endlessLine = 16 * 1024 * 1024

    package init() {}
}
