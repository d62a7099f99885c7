import RoomCore
import RoomModel

/// Limits on the clients' use of the broker.
extension OptionTable {
    static let connections = Section(
        title: "Connection limits",
        options: [
            ConfigurationOption(
                "max-connections",
                \.connections.total,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections in all. The system's limit of open files applies as well."
            ),
            ConfigurationOption(
                "max-connections-per-ip",
                \.connections.perAddress,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections from one IP address, or from one /64 of IPv6. Connections from this machine are exempt."
            ),
            ConfigurationOption(
                "connection-rate",
                \.connections.rate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                New connections a second from one IP address, or from one /64 of IPv6. Ten times as many may come at \
                once. Connections from this machine are exempt.
                """
            ),
            ConfigurationOption(
                "max-silent-connections",
                \.connections.silent,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Connections that have not sent anything yet."
            ),
            ConfigurationOption(
                "handshake-timeout",
                \.timeouts.handshake,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long a JSON client may take for its handshake."
            ),
            ConfigurationOption(
                "token-timeout",
                \.limits.tokenTime,
                .duration(.seconds(1)...ConfigurationBounds.longest),
                "How long a client may be connected without a token to a channel that requires one."
            ),
            ConfigurationOption(
                "text-handshake-timeout",
                \.timeouts.textHandshake,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                """
                How long a new connection may send nothing, with TLS from the end of its handshake on, which has the time of \
                --handshake-timeout. People who type plain text need time for their first line.
                """
            ),
            ConfigurationOption(
                "websocket-ping",
                \.limits.webSocketPing,
                .word("off", or: .duration(.seconds(1)...ConfigurationBounds.longest)),
                """
                A WebSocket client that has sent nothing for so long is pinged, and disconnected if it sends nothing for \
                as long again. off: it may be silent as long as it likes. An event stream gets a comment at each interval.
                """
            ),
            ConfigurationOption(
                "bad-frame-rate",
                \.limits.badFrameRate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                Invalid lines a second from one connection. Ten times as many may come at once. If a connection sends \
                more, the broker closes it.
                """
            ),
            ConfigurationOption(
                "http-header-timeout",
                \.timeouts.httpHeader,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long an HTTP client may take to send the header of a request."
            ),
            ConfigurationOption(
                "http-idle-timeout",
                \.timeouts.httpIdle,
                .duration(.milliseconds(1)...ConfigurationBounds.longest),
                "How long an HTTP connection may stay open without a request."
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
                """
                The largest client_data of a member, whatever its channel allows with client_data_bytes. The broker sends it with \
                each message of that member.
                """
            ),
            ConfigurationOption(
                "max-nesting",
                \.limits.frame.nesting,
                .count(1...1_000),
                "How many levels deep the arrays and objects of a frame may be nested."
            ),
            ConfigurationOption(
                "max-room-name",
                \.limits.frame.roomName,
                .count(1...4_096),
                "The longest name of a room, in bytes."
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
                "Rooms that one connection may be subscribed to at the same time."
            ),
            ConfigurationOption(
                "max-rooms-per-channel",
                \.limits.roomsPerChannel,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Rooms of one channel that may be in use at the same time."
            ),
            ConfigurationOption(
                "max-stored-rooms",
                \.limits.storedRoomsPerChannel,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                Rooms of one channel that have stored messages or had some until lately, with or without members. Messages \
                into others are refused.
                """
            ),
            ConfigurationOption(
                "max-members-listed",
                \.limits.membersListed,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                "Members that one answer lists. If there are more, the answer has only their number."
            ),
            ConfigurationOption(
                "max-member-list",
                \.limits.memberList,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "Bytes of a list of members. Of a longer list the answer has only the number of members."
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
                "Messages a second that one connection may publish, or one IP address over REST."
            ),
            ConfigurationOption(
                "new-room-rate",
                \.limits.newRoomRate,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                Rooms a second that one member, or over REST one user or IP address, may bring to life, after ten times \
                as many at once. A room comes to life with its first member or message.
                """
            ),
        ]
    )

    static let memory = Section(
        title: "Memory limits",
        options: [
            ConfigurationOption(
                "memory-total",
                \.limits.memoryTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                """
                Rooms, the places of members in them, and what is remembered for them: messages in memory, message_ids, \
                rooms without members and sessions in their grace period. Near this size the broker forgets the oldest \
                of what it remembers, and lets nobody into more rooms.
                """
            ),
            ConfigurationOption(
                "input-total",
                \.limits.inputTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                """
                Unfinished lines of all clients together. Above this size the broker disconnects the client with the \
                longest.
                """
            ),
            ConfigurationOption(
                "window-per-room",
                \.limits.windowPerRoom,
                .size(ConfigurationBounds.memory),
                """
                How much memory the newest messages of a room may use. They are kept for members that read slowly or \
                reconnect.
                """
            ),
            ConfigurationOption(
                "window-total",
                \.limits.windowTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "The same for all rooms together."
            ),
            ConfigurationOption(
                "publish-keys-total",
                \.limits.publishKeysTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                """
                The message_ids of the last ten minutes, of all rooms together. Above this size the broker forgets the \
                oldest, and a message that is sent again after that is a new one.
                """
            ),
            ConfigurationOption(
                "max-unread-replies",
                \.limits.unreadReplies,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "Replies that a client has not read yet. Above this size the broker stops reading from that client."
            ),
            ConfigurationOption(
                "unread-total",
                \.limits.unreadTotal,
                .unlimited(or: .size(ConfigurationBounds.memory)),
                "The same for all clients together. Above this size the broker disconnects the client that has most."
            ),
            ConfigurationOption(
                "max-lingering-rooms",
                \.limits.lingeringRooms,
                .unlimited(or: .count(ConfigurationBounds.counts)),
                """
                Sessions in their grace period, and the rooms that they are in. Above this number the session that lost \
                its connection first ends. One IP address, or one /64 of IPv6, may have a quarter of it.
                """
            ),
        ]
    )
}
