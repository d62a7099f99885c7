package import NIOCore
package import RoomModel

/// The settings that the handler of a connection has to know.
package struct ConnectionSettings: Sendable {
    package var frames: FrameLimits
    /// From the first byte of a JSON client to its handshake.
    package var handshakeTime: TimeAmount
    /// How long a connection may say nothing at all.
    package var silentTime: TimeAmount
    /// A TLS handshake comes first, which has the time of `handshakeTime`.
    package var awaitsTLS = false
    /// Where plain-text clients talk; `nil`: they are refused.
    package var textRoom: TextRoom?
    /// Lines a second that may be no frames, after ten times as many at once; `Int.max`: no limit.
    package var badFrameRate: Int

    package struct TextRoom: Sendable {
        package var room: RoomName
        package var channel: ChannelID
        /// After so long a client that has said nothing listens there; `nil`: it has to say something first.
        package var listeningAfter: TimeAmount?

        package init(room: RoomName, channel: ChannelID, listeningAfter: TimeAmount?) {
            self.room = room
            self.channel = channel
            self.listeningAfter = listeningAfter
        }
    }

    package init(
        frames: FrameLimits,
        handshakeTime: TimeAmount,
        silentTime: TimeAmount,
        textRoom: TextRoom?,
        badFrameRate: Int = .max
    ) {
        self.frames = frames
        self.handshakeTime = handshakeTime
        self.silentTime = silentTime
        self.textRoom = textRoom
        self.badFrameRate = badFrameRate
    }

    /// The pause after which what may be the start of an HTTP request is text.
    static let detectionPause = TimeAmount.milliseconds(20)
}
