import RoomCore
import RoomModel
import RoomWire

/// A channel as the admin API shows it and takes it: `Channel` and `ChannelChanges` in `Schemas/admin.openapi.yaml`.
enum ChannelDocument {
    /// What can be set.
    static let settable = [
        "name", "authentication", "token_expiry", "history", "history_rules", "history_order", "durability", "presence",
        "members_listed", "auth_data_stamps", "allowed_origins", "limits", "grace_seconds",
    ]
    /// What is shown and cannot be set.
    static let readOnly = ["version", "locked", "previous_secrets"]

    static let historyFields = ["count", "age_seconds"]
    static let ruleFields = ["pattern", "history"]

    /// The name of each limit with its place and its bounds.
    static let limits:
        [(name: String, path: any WritableKeyPath<ChannelLimits, Int?> & Sendable, bounds: ClosedRange<Int>)] =
            [
                ("connections", \.connections, ChannelBounds.counts),
                ("rooms", \.rooms, ChannelBounds.counts),
                ("new_room_rate", \.newRoomRate, ChannelBounds.counts),
                ("member_new_room_rate", \.memberNewRoomRate, ChannelBounds.counts),
                ("members_per_room", \.membersPerRoom, ChannelBounds.counts),
                ("message_bytes", \.messageBytes, ChannelBounds.messageBytes),
                ("publish_rate", \.publishRate, ChannelBounds.counts),
                ("member_publish_rate", \.memberPublishRate, ChannelBounds.counts),
            ]

    /// The whole channel, without its secrets.
    ///
    /// - Parameter now: Unix seconds; earlier secrets that are not taken any more do not show.
    static func tree(_ channel: StoredChannel, locked: [String], now: Int64) -> JSONTree {
        guard case .object(let settings) = self.settings(channel.settings) else { return .null }
        return .object(
            [.init("id", .string(channel.settings.id.text))] + settings + [
                .init("version", .integer(channel.version)),
                .init("locked", .array(locked.map { .string($0) })),
                .init("previous_secrets", self.previousSecrets(channel.secrets, now: now)),
            ]
        )
    }

    static func previousSecrets(_ secrets: [ChannelSecret], now: Int64) -> JSONTree {
        .array(
            secrets.compactMap(\.expires).filter { $0 > now }.map { expires in
                .object([.init("expires_at", .time(milliseconds: expires * 1_000))])
            }
        )
    }

    /// What can be set, as it is.
    static func settings(_ settings: ChannelSettings) -> JSONTree {
        .object([
            .init("name", .string(settings.name)),
            .init("authentication", .string(settings.authentication.rawValue)),
            .init("token_expiry", .string(settings.tokenExpiry.rawValue)),
            .init("history", self.history(settings.history)),
            .init("history_rules", .array(settings.historyRules.map(self.rule))),
            .init("history_order", .string(settings.historyOrder.rawValue)),
            .init("durability", .string(settings.durability.rawValue)),
            .init("presence", .string(settings.presence.rawValue)),
            .init("members_listed", .optional(settings.membersListed) { .integer($0) }),
            .init("auth_data_stamps", .string(settings.authDataStamps.rawValue)),
            .init("allowed_origins", .array(settings.allowedOrigins.map { .string($0) })),
            .init("limits", self.limits(settings.limits)),
            .init("grace_seconds", .seconds(settings.grace)),
        ])
    }

    static func history(_ history: HistorySettings?) -> JSONTree {
        .optional(history) { history in
            .object([.init("count", .integer(history.count)), .init("age_seconds", .seconds(history.age))])
        }
    }

    private static func rule(_ rule: HistoryRule) -> JSONTree {
        .object([.init("pattern", .string(rule.pattern)), .init("history", self.history(rule.history))])
    }

    private static func limits(_ limits: ChannelLimits) -> JSONTree {
        .object(
            self.limits.map { limit in
                .init(limit.name, .optional(limits[keyPath: limit.path]) { .integer($0) })
            }
        )
    }
}
