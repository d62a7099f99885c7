import Foundation

/// A ban or a mute as the admin API shows it: `Sanction` in `Schemas/admin.openapi.yaml`.
struct AdminSanction: AdminDocument, Decodable, Equatable, Sendable {
    let kind: String
    /// `nil`: the whole channel.
    let room: String?
    /// One of these three is there.
    let user: String?
    let clientId: String?
    let address: String?
    let reason: String?
    let author: String
    let created: String
    /// `nil`: until it is lifted.
    let expires: String?

    /// As the command line takes what it is for, and where: `--user luke --room lobby`
    var options: String {
        let subject = self.clientId.map { $0.shellQuoted } ?? "--\(self.subject.kind) \(self.subject.name.shellQuoted)"
        return subject + (self.room.map { " --room \($0.shellQuoted)" } ?? "")
    }

    /// The name that it is for, where it is for one of this field.
    func name(of field: String) -> String? {
        switch field {
        case "user": self.user
        case "client_id": self.clientId
        default: self.address
        }
    }

    /// The kind of name, and the name that it is for.
    var subject: (kind: String, name: String) {
        if let user { return ("user", user) }
        if let clientId { return ("client", clientId) }
        return ("address", self.address ?? "?")
    }
}

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
