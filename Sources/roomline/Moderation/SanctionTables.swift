import Foundation

/// Bans and mutes as people read them.
enum SanctionTables {
    static func list(_ sanctions: [AdminSanction], in timeZone: TimeZone) -> Table {
        Table(
            [.text("WHO"), .text("ROOM"), .text("UNTIL"), .text("BY"), .text("REASON")],
            sanctions.map { sanction in
                [
                    self.subject(sanction), .optional(sanction.room) { $0 },
                    .optional(sanction.expires) { ShownTime.moment($0, in: timeZone) },
                    Cell(sanction.author), .optional(sanction.reason) { $0 },
                ]
            }
        )
    }

    static func sheet(_ sanction: AdminSanction, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add(sanction.kind, self.subject(sanction))
        sheet.add("in", Cell(sanction.room.map { "the room \($0)" } ?? "the whole channel"))
        sheet.add("since", Cell(ShownTime.moment(sanction.created, in: timeZone)))
        let end = sanction.expires.map { ShownTime.moment($0, in: timeZone) }
        sheet.add("until", Cell(end ?? "it is lifted"))
        sheet.add("by", Cell(sanction.author))
        sheet.add("reason", .optional(sanction.reason) { $0 })
        return sheet
    }

    private static func subject(_ sanction: AdminSanction) -> Cell {
        Cell("\(sanction.subject.kind) \(sanction.subject.name)")
    }
}
