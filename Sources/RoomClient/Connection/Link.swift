import NIOCore

/// The connection of the present attempt, from the moment it is open.
struct Link {
    let channel: any Channel
    /// Frames that go out with the next flush.
    var outgoing = ByteBuffer()
    var keepAlive: KeepAlive?
    var keepAliveTimer: Scheduled<Void>?
    /// The app has closed the client: the broker ends the connection when it has read the rest.
    var isFarewell = false

    init(channel: any Channel) {
        self.channel = channel
    }
}
