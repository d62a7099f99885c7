import RoomCore
import RoomModel

/// Where one connection is counted among those of its channel, from its handshake on.
struct ChannelSeat {
    private var usage: ChannelUsage?

    /// Counts the connection as one of the channel's.
    ///
    /// - Parameter isLimited: false where the connection may take the place of another one: `retake` has to follow.
    /// - Returns: why there can be no more.
    mutating func take(in channel: RoomChannel, isLimited: Bool = true) -> RequestError? {
        guard self.usage !== channel.usage else { return nil }
        self.leave()
        let limit = Self.limit(of: channel)
        guard channel.usage.connectionOpened(limit: isLimited ? limit : .max) else { return Self.tooMany(limit) }
        self.usage = channel.usage
        return nil
    }

    /// The same for a connection that was counted without regard to the limit.
    mutating func retake(in channel: RoomChannel) -> RequestError? {
        let limit = Self.limit(of: channel)
        return self.take(in: channel) ?? (channel.usage.connections > limit ? Self.tooMany(limit) : nil)
    }

    mutating func leave() {
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
