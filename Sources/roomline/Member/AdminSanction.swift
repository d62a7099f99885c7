import Foundation
import RoomAdmin

extension AdminSanction {
    /// As the command line takes what it is for, and where: `--user luke --room lobby`
    var options: String {
        let (kind, name) = self.named
        let subject = self.clientId.map { $0.shellQuoted } ?? "--\(kind) \(name.shellQuoted)"
        return subject + (self.room.map { " --room \($0.shellQuoted)" } ?? "")
    }

    /// The name that it is for, where it is for one of this field.
    func name(of field: String) -> String? { self.subject.field.name == field ? self.subject.field.value : nil }

    /// The kind of name, and the name that it is for.
    var named: (kind: String, name: String) {
        switch self.subject {
        case .user(let user): ("user", user)
        case .client(let id): ("client", id)
        case .address(let range): ("address", range.isEmpty ? "?" : range)
        }
    }
}

/// Bans and mutes as people read them.
enum SanctionTables {
    static func list(_ sanctions: [AdminSanction], in timeZone: TimeZone) -> Table {
        Table(
            [.text("WHO"), .text("ROOM"), .moment("UNTIL"), .text("BY"), .text("REASON")],
            sanctions.map { sanction in
                [
                    self.subject(sanction), .optional(sanction.room) { $0 },
                    .optional(sanction.expires) { ShownTime.moment($0, in: timeZone) },
                    Cell(TerminalText.actor(sanction.author)), .optional(sanction.reason) { $0 },
                ]
            }
        )
    }

    static func sheet(_ sanction: AdminSanction, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        sheet.add(sanction.kind.rawValue, self.subject(sanction))
        sheet.add("in", Cell(sanction.room.map { "the room \($0)" } ?? "the whole channel"))
        sheet.add("since", Cell(ShownTime.moment(sanction.created, in: timeZone)))
        let end = sanction.expires.map { ShownTime.moment($0, in: timeZone) }
        sheet.add("until", Cell(end ?? "it is lifted"))
        sheet.add("by", Cell(TerminalText.actor(sanction.author)))
        sheet.add("reason", .optional(sanction.reason) { $0 })
        return sheet
    }

    private static func subject(_ sanction: AdminSanction) -> Cell {
        let (kind, name) = sanction.named
        return Cell("\(kind) \(kind == "user" ? TerminalText.user(name) : name)")
    }
}
