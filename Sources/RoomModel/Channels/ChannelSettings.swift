/// How a channel behaves; stored in `control.sqlite`, changed by `--channel` at start and by the admin API at run time.
///
/// To add a setting: a property with its default here, and its description in `ChannelSetting.all` below. `CONTRIBUTING.md`
/// lists what else has to know of it.
package struct ChannelSettings: Equatable, Sendable {
    package var id: ChannelID
    /// Empty: none.
    package var name = ""
    package var authentication = Authentication.none
    package var tokenExpiry = TokenExpiry.atUse
    /// `nil`: the channel's rooms keep no history, but for those of `historyRules`.
    package var history: HistorySettings? = HistorySettings()
    /// Rooms that keep another history than the channel's: the first rule that matches a name counts.
    package var historyRules: [HistoryRule] = []
    package var historyOrder = HistoryOrder.oldestFirst
    package var durability = Durability.process
    package var presence = PresenceScope.ask
    /// Above it, `observable_members` and `members` give the count only; `nil`: the broker's own limit.
    package var membersListed: Int?
    /// Bytes of a member's `client_data`; `nil`: `ChannelBounds.usualClientData`.
    package var clientDataBytes: Int?
    package var authDataStamps = AuthDataStamps.observable
    /// Browser origins (RFC 6454 §6.2, as `https://app.example`) that may connect; empty: any for a channel that
    /// requires tokens, none but those of this machine otherwise.
    package var allowedOrigins: [String] = []
    package var limits = ChannelLimits()
    /// How long a session that asked for it can be resumed after its connection is lost.
    package var grace = Duration.seconds(10)
}

extension ChannelSettings {
    /// A channel with the defaults.
    package init(id: ChannelID) {
        self.init(id: id, name: "")
    }

    /// Whether any room keeps messages.
    package var keepsHistory: Bool { self.history != nil || self.historyRules.contains { $0.history != nil } }
}

/// The most that one channel may use; `nil`: only the broker's own limits hold. Rates are per second, a second's worth
/// may come at once.
package struct ChannelLimits: Equatable, Sendable {
    package var connections: Int?
    /// Rooms with members.
    package var rooms: Int?
    /// Rooms that become active in the channel: somebody enters or publishes where nobody was.
    package var newRoomRate: Int?
    /// Rooms that one member activates.
    package var memberNewRoomRate: Int?
    package var membersPerRoom: Int?
    /// Bytes of a message.
    package var messageBytes: Int?
    /// Messages into all rooms of the channel.
    package var publishRate: Int?
    /// Messages of one member, also over a reconnection.
    package var memberPublishRate: Int?

    /// Only the broker's own limits.
    package static let unset = ChannelLimits()
}

extension ChannelSetting {
    /// Every setting, in the order in which the admin API shows them.
    package static let all = [
        ChannelSetting(
            "name",
            .text(.at(\.name), bytes: ChannelBounds.name),
            "A name for people",
            change: "Nobody is told."
        ),
        ChannelSetting(
            "authentication",
            .choice(of: \.authentication),
            "Whether clients have to show a token",
            "none: no, and tokens are refused. optional: no, but the permissions of a token apply. required: yes.",
            change: "Applies at once: clients that need a token and have shown none are disconnected.",
            option: "auth",
            isInFlag: true
        ),
        ChannelSetting(
            "token_expiry",
            .choice(of: \.tokenExpiry),
            "When a token has to be valid",
            "at_use: when a client shows it. live: as long as the client is connected; it must renew a token that expires.",
            change: "Applies at once: with live, clients whose token has expired are told.",
            isInFlag: true
        ),
        ChannelSetting(
            "count",
            in: .history,
            .count(.historyCount, ChannelBounds.counts, none: "off"),
            "How many messages a room keeps",
            change: "Applies from the next message on. Turned on or off, each room begins a new log.",
            column: "history_count",
            option: "history",
            isInFlag: true
        ),
        ChannelSetting(
            "age_seconds",
            in: .history,
            .duration(.historyAge, .seconds(1)...ChannelBounds.longest, example: "30d"),
            "How long a room keeps them",
            "Applies only if the channel has a history.",
            change: "Applies from the next message on.",
            column: "history_age_milliseconds",
            option: "history-age",
            isInFlag: true
        ),
        ChannelSetting(
            "history_rules",
            .historyRules(.at(\.historyRules)),
            "Rooms whose name matches the pattern keep this many messages instead; the first rule that matches counts",
            "As long as the channel keeps its, at the time when the rule is set.",
            change: "Applies as for history, in the rooms whose rule changes.",
            option: "history-rule"
        ),
        ChannelSetting(
            "history_order",
            .choice(of: \.historyOrder),
            "Which message of a reply has the index 0",
            change: "Applies from the next subscribe on."
        ),
        ChannelSetting(
            "durability",
            .choice(of: \.durability),
            "What an acknowledged message survives",
            "process: kill -9 of the broker. power: also a power cut.",
            change: "Applies from the next message on.",
            isInFlag: true
        ),
        ChannelSetting(
            "presence",
            .choice(of: \.presence),
            "Which rooms show their members",
            "prefix: those whose name begins with observable-. ask: the same, and all others to clients that ask for it. all: all rooms.",
            change: "Applies at once: members whom a room shows who is there from now on get an observable_members.",
            isInFlag: true
        ),
        ChannelSetting(
            "members_listed",
            .count(.at(\.membersListed), ChannelBounds.counts),
            "How many members of a room are listed",
            "If a room has more, clients get only their number.",
            change: "Applies from the next frame on."
        ),
        ChannelSetting(
            "client_data_bytes",
            .count(.at(\.clientDataBytes), ChannelBounds.clientData),
            "How many bytes of client_data a member may have",
            "none: 8192. It goes with each message, and what is more than 2048 takes the place of subscriptions in memory.",
            change: "Applies from the next handshake or update on."
        ),
        ChannelSetting(
            "auth_data_stamps",
            .choice(of: \.authDataStamps),
            "Which stamps contain the data of tokens",
            "observable: those in rooms that show their members to everybody.",
            change: "Applies from the next frame on."
        ),
        ChannelSetting(
            "allowed_origins",
            .origins(.at(\.allowedOrigins)),
            "A browser origin that may connect",
            """
            any: every origin. If the list is empty, every origin may connect if tokens are required or other machines \
            reach the broker; otherwise only pages of this machine, on any port.
            """,
            change: "Applies from the next request on.",
            option: "origin"
        ),
        .limit("connections", \.connections, "Connections", change: ChannelSetting.newcomers),
        .limit("rooms", \.rooms, "Rooms with members", change: ChannelSetting.newcomers),
        .limit("new_room_rate", \.newRoomRate, "Rooms that become active in a second"),
        .limit("member_new_room_rate", \.memberNewRoomRate, "Rooms that one member activates in a second"),
        .limit("members_per_room", \.membersPerRoom, "Members of one room", change: ChannelSetting.newcomers),
        .limit("message_bytes", \.messageBytes, "Bytes of a message", ChannelBounds.messageBytes),
        .limit("publish_rate", \.publishRate, "Messages a second into all rooms"),
        .limit(
            "member_publish_rate",
            \.memberPublishRate,
            "Messages a second of one member; reconnecting does not reset the count"
        ),
        ChannelSetting(
            "grace_seconds",
            .duration(.at(\.grace), .zero...ChannelBounds.longest, example: "30s"),
            "How long a lost connection can be resumed",
            "The client has to ask for it.",
            change: "Applies to connections that end from now on.",
            column: "grace_milliseconds",
            option: "grace",
            isInFlag: true
        ),
    ]

    private static let newcomers = "Nobody is disconnected; nobody new is admitted above the limit."

    private static func limit(
        _ key: String,
        _ path: any WritableKeyPath<ChannelLimits, Int?> & Sendable,
        _ summary: String,
        _ bounds: ClosedRange<Int> = ChannelBounds.counts,
        change: String = "Applies from the next request on."
    ) -> ChannelSetting {
        let field = Field(
            get: { $0.limits[keyPath: path] },
            set: { value, settings in settings.limits[keyPath: path] = value }
        )
        return ChannelSetting(
            key,
            in: .limits,
            .count(field, bounds),
            summary,
            change: change,
            column: key,
            option: "limit"
        )
    }
}
