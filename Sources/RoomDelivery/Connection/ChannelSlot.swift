import RoomCore
import RoomModel

/// The place that a connection takes, from its handshake on, within the limit of connections of its channel.
struct ChannelSlot {
    private var usage: ChannelUsage?

    /// Counts the connection as one of the channel's.
    ///
    /// - Parameter isLimited: false where the connection may take the place of another one: `reacquire` has to follow.
    /// - Returns: why there can be no more.
    mutating func acquire(in channel: RoomChannel, isLimited: Bool = true) -> RequestError? {
        guard self.usage !== channel.usage else { return nil }
        self.release()
        let limit = Self.limit(of: channel)
        guard channel.usage.connectionOpened(limit: isLimited ? limit : .max) else { return Self.tooMany(limit) }
        self.usage = channel.usage
        return nil
    }

    /// The same for a connection that was counted without regard to the limit.
    mutating func reacquire(in channel: RoomChannel) -> RequestError? {
        let limit = Self.limit(of: channel)
        return self.acquire(in: channel) ?? (channel.usage.connections > limit ? Self.tooMany(limit) : nil)
    }

    mutating func release() {
        self.usage?.connectionClosed()
        self.usage = nil
    }

    private static func limit(of channel: RoomChannel) -> Int { channel.settings.limits.connections ?? .max }

    private static func tooMany(_ limit: Int) -> RequestError {
        RequestError(
            .tooManyConnections,
            "the channel has reached its limit of \(limit) connections; try again later",
            retryAfterMilliseconds: 5_000
        )
    }
}
