import RoomCore
import RoomModel

/// What clients may use of the broker.
extension OptionTable {
    static let connections = Section(
        title: "Connection limits",
        options: [
            ConfigurationOption(
                "max-connections",
                \.connections.total,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections in all. The limit of open files holds besides."
            ),
            ConfigurationOption(
                "max-connections-per-ip",
                \.connections.perAddress,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections from one IP address, or one /64 of IPv6; this machine itself is exempt."
            ),
            ConfigurationOption(
                "connection-rate",
                \.connections.rate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                New connections a second from one IP address, or one /64 of IPv6, after ten times as many at once; this \
                machine itself is exempt.
                """
            ),
            ConfigurationOption(
                "max-silent-connections",
                \.connections.silent,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections that have not said anything yet."
            ),
            ConfigurationOption(
                "handshake-timeout",
                \.timeouts.handshake,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long a JSON client may take for its handshake."
            ),
            ConfigurationOption(
                "text-handshake-timeout",
                \.timeouts.textHandshake,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long a connection may stay silent from its start: it may be a person who still thinks."
            ),
            ConfigurationOption(
                "bad-frame-rate",
                \.limits.badFrameRate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                Lines a second that cannot be read, after ten times as many at once; a connection that sends more is \
                closed.
                """
            ),
            ConfigurationOption(
                "http-header-timeout",
                \.timeouts.httpHeader,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long an HTTP client may take for the header of a request."
            ),
            ConfigurationOption(
                "http-idle-timeout",
                \.timeouts.httpIdle,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long an HTTP connection may stay without a request."
            ),
        ]
    )

    static let frames = Section(
        title: "Frame limits",
        options: [
            ConfigurationOption(
                "max-line",
                \.limits.frame.line,
                .size(ConfigurationBounds.frames),
                "The longest line or frame from a client."
            ),
            ConfigurationOption(
                "max-message",
                \.limits.frame.message,
                .size(ConfigurationBounds.frames),
                "The largest message in a publish."
            ),
            ConfigurationOption(
                "max-client-data",
                \.limits.frame.clientData,
                .size(ConfigurationBounds.frames),
                "The largest client_data of a member, which goes out with each of its messages."
            ),
            ConfigurationOption(
                "max-nesting",
                \.limits.frame.nesting,
                .count(1...1_000),
                "How deep the arrays and objects of a frame may be nested."
            ),
            ConfigurationOption(
                "max-room-name",
                \.limits.frame.roomName,
                .count(1...4_096),
                "Bytes in the name of a room."
            ),
        ]
    )

    static let rooms = Section(
        title: "Room limits",
        options: [
            ConfigurationOption(
                "max-rooms-per-connection",
                \.limits.roomsPerConnection,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Rooms that one connection may be subscribed to."
            ),
            ConfigurationOption(
                "max-rooms-per-channel",
                \.limits.roomsPerChannel,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Rooms of one channel that are in use."
            ),
            ConfigurationOption(
                "max-members-listed",
                \.limits.membersListed,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Members that one answer lists; of more it gives the count."
            ),
            ConfigurationOption(
                "max-history-limit",
                \.limits.historyQuery,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Messages in one answer to a history request."
            ),
            ConfigurationOption(
                "publish-rate",
                \.limits.publishRate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Messages a second that one connection, or by REST one address, may publish."
            ),
        ]
    )

    static let memory = Section(
        title: "Memory limits",
        options: [
            ConfigurationOption(
                "window-per-room",
                \.limits.windowPerRoom,
                .size(ConfigurationBounds.memory),
                "The newest messages of a room that stay in memory, for members that read slowly or come back."
            ),
            ConfigurationOption(
                "window-total",
                \.limits.windowTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "The same for all rooms together."
            ),
            ConfigurationOption(
                "max-unread-replies",
                \.limits.unreadReplies,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "Replies that a client has not read yet; above it the broker stops reading from that client."
            ),
        ]
    )
}
