package import RoomModel

/// The port to how much is stored of each channel.
package protocol StoredUsageSource: Sendable {
    /// How much there is, as of a moment ago: it is not measured anew for each call.
    func storedUsage() async throws(EngineError) -> StoredUsage
}

/// How much is stored of each channel.
package struct StoredUsage: Equatable, Sendable {
    package struct Channel: Equatable, Sendable {
        /// Those with a log, also an empty one.
        package var rooms = 0
        /// Those that are served, as of each room's last append or sweep.
        package var messages: UInt64 = 0
        /// The bytes that the messages take, with ids and keys, without the overhead of the file.
        package var bytes: UInt64 = 0
        /// `bytes` follows from some of the messages: there are too many to look at each.
        package var isEstimate = false

        package init() {}
    }

    /// When it was measured, in Unix milliseconds.
    package var time: Int64
    /// Those of which something is stored.
    package var channels: [ChannelID: Channel]
    /// The size of the history file with its `-wal`; `nil` in memory.
    package var fileBytes: Int64?

    package init(time: Int64, channels: [ChannelID: Channel], fileBytes: Int64?) {
        self.time = time
        self.channels = channels
        self.fileBytes = fileBytes
    }

    /// The usage of all channels together.
    package var total: Channel {
        self.channels.values.reduce(into: Channel()) { sum, channel in
            sum.rooms += channel.rooms
            sum.messages += channel.messages
            sum.bytes += channel.bytes
            sum.isEstimate = sum.isEstimate || channel.isEstimate
        }
    }
}
