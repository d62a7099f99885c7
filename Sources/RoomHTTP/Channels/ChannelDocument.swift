import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// A channel as the admin API shows it and takes it: `Channel` and `ChannelChanges` in `Schemas/admin.openapi.yaml`.
enum ChannelDocument {
    /// The names of the settings.
    static let settable = ChannelSetting.entries.map(\.name)
    /// The fields that are shown and cannot be set.
    static let readOnly = ["version", "locked", "previous_secrets"]

    /// The whole channel, without its secrets.
    ///
    /// - Parameter now: Unix seconds; earlier secrets that are not taken any more do not show.
    static func tree(_ channel: StoredChannel, locked: [String], now: Int64) -> JSONTree {
        .object(
            [.init("id", .string(channel.settings.id.text))] + self.fields(channel.settings) + [
                .init("version", .integer(channel.version)),
                .init("locked", .array(locked.map { .string($0) })),
                .init("previous_secrets", .array(self.previousSecrets(channel.secrets, now: now).map(\.tree))),
            ]
        )
    }

    static func previousSecrets(_ secrets: [ChannelSecret], now: Int64) -> [AdminChannel.PreviousSecret] {
        secrets.compactMap(\.expires).filter { $0 > now }
            .map { AdminChannel.PreviousSecret(expiresAt: AdminTime(milliseconds: $0 * 1_000)) }
    }

    /// The settings as they are.
    static func settings(_ settings: ChannelSettings) -> JSONTree { .object(self.fields(settings)) }

    static func history(_ history: HistorySettings?) -> JSONTree {
        .optional(history) { history in
            .object([.init("count", .integer(history.count)), .init("age_seconds", .seconds(history.age))])
        }
    }

    private static func fields(_ settings: ChannelSettings) -> [JSONTree.Field] {
        ChannelSetting.entries.map { entry in
            switch entry {
            case .setting(let setting): .init(entry.name, setting.tree(in: settings))
            case .group(.history, _): .init(entry.name, self.history(settings.history))
            case .group(.limits, let limits):
                .init(entry.name, .object(limits.map { .init($0.key, $0.tree(in: settings)) }))
            }
        }
    }
}

extension ChannelSetting {
    fileprivate func tree(in settings: ChannelSettings) -> JSONTree {
        switch self.form {
        case .text(let field, _), .choice(let field, _): .optional(field.get(settings)) { .string($0) }
        case .count(let field, _, _): .optional(field.get(settings)) { .integer($0) }
        case .duration(let field, _, _): .optional(field.get(settings)) { .seconds($0) }
        case .historyRules(let field): .optional(field.get(settings)) { .array($0.map(Self.tree)) }
        case .origins(let field): .optional(field.get(settings)) { .array($0.map { .string($0) }) }
        }
    }

    private static func tree(_ rule: HistoryRule) -> JSONTree {
        .object([.init("pattern", .string(rule.pattern)), .init("history", ChannelDocument.history(rule.history))])
    }
}
