import Foundation
import RoomAdmin
import RoomJSON
import RoomModel

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
                    Cell(channel.id), Cell(channel.word("authentication")),
                    Cell(AdminChannel.History(channel["history"]).text), Cell(channel.word("durability")),
                    Cell(channel.word("presence")), Cell(channel.version), self.text(channel["name"]),
                ]
            }
        )
    }

    /// All of one channel, each setting under the name that the API and the audit log have for it.
    static func sheet(_ channel: AdminChannel, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        sheet.add("channel", Cell(channel.id))
        for entry in ChannelSetting.entries where channel.has(entry.name) {
            sheet.add(entry.name, self.cells(entry, channel[entry.name]))
        }
        sheet.add("locked", channel.locked.map { Cell("\($0)  by --channel of this start") })
        let secrets = channel.previousSecrets.map { ShownTime.moment($0.expiresAt, in: timeZone) }
        sheet.add("previous_secrets", secrets.map { Cell("taken until \($0)") })
        sheet.add("version", Cell(channel.version))
        return sheet
    }

    private static func cells(_ entry: ChannelSetting.Entry, _ value: JSONTree?) -> [Cell] {
        switch entry {
        case .setting(let setting): self.cells(setting, value)
        case .group(.history, _): [Cell(AdminChannel.History(value).text)]
        case .group(.limits, let limits):
            // As --limit takes them.
            limits.compactMap { limit in value?[limit.key]?.integer.map { Cell("\(limit.key)=\($0)") } }
        }
    }

    private static func cells(_ setting: ChannelSetting, _ value: JSONTree?) -> [Cell] {
        switch setting.form {
        case .text, .choice: [self.text(value)]
        case .count: [.optional(value?.integer) { "\($0)" }]
        case .duration: [.optional(value?.seconds) { ShownTime.duration(seconds: $0) }]
        case .origins: (value?.elements ?? []).map(self.text)
        case .historyRules:
            (value?.elements ?? []).map { rule in
                Cell("\(rule["pattern"]?.string ?? "")  \(AdminChannel.History(rule["history"]).text)")
            }
        }
    }

    private static func text(_ value: JSONTree?) -> Cell {
        guard let text = value?.string, !text.isEmpty else { return .none }
        return Cell(text)
    }
}
