import Foundation

/// Channels as people read them.
enum ChannelTables {
    static func list(_ channels: [AdminChannel]) -> Table {
        Table(
            [
                .text("CHANNEL"), .text("AUTHENTICATION"), .text("HISTORY"), .text("DURABILITY"), .text("PRESENCE"),
                .number("VERSION"), .text("NAME"),
            ],
            channels.map { channel in
                [
                    Cell(channel.id), Cell(channel.authentication), Cell(channel.history.text),
                    Cell(channel.durability), Cell(channel.presence), Cell(channel.version), self.name(channel),
                ]
            }
        )
    }

    /// All of one channel, each setting under the name that the API and the audit log have for it.
    static func sheet(_ channel: AdminChannel, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("channel", Cell(channel.id))
        sheet.add("name", self.name(channel))
        sheet.add("authentication", Cell(channel.authentication))
        sheet.add("token_expiry", Cell(channel.tokenExpiry))
        sheet.add("history", Cell(channel.history.text))
        sheet.add("history_rules", channel.historyRules.map { Cell("\($0.pattern)  \($0.history.text)") })
        sheet.add("history_order", Cell(channel.historyOrder))
        sheet.add("durability", Cell(channel.durability))
        sheet.add("presence", Cell(channel.presence))
        sheet.add("members_listed", .optional(channel.membersListed) { "\($0)" })
        sheet.add("auth_data_stamps", Cell(channel.authDataStamps))
        sheet.add("allowed_origins", channel.allowedOrigins.map { Cell($0) })
        sheet.add("limits", channel.limits.texts.map { Cell($0) })
        sheet.add("grace_seconds", Cell(ShownTime.duration(seconds: channel.graceSeconds)))
        sheet.add("locked", channel.locked.map { Cell("\($0)  by --channel of this start") })
        let secrets = channel.previousSecrets.map { ShownTime.moment($0.expiresAt, in: timeZone) }
        sheet.add("previous_secrets", secrets.map { Cell("taken until \($0)") })
        sheet.add("version", Cell(channel.version))
        return sheet
    }

    private static func name(_ channel: AdminChannel) -> Cell {
        channel.name.isEmpty ? .none : Cell(channel.name)
    }
}
