import Foundation
import NIOCore
import RoomAdmin
import RoomClient
import RoomModel

extension AdminMember {
    var person: Person { Person(id: self.id, clientData: self.clientData) }

    /// The id, and the user where its token names one.
    var idAndUser: String { self.user.map { "\(self.id) (user \(TerminalText.user($0)))" } ?? self.id }
}

/// Members as people read them.
enum MemberTables {
    static func list(_ members: [AdminMember], in timeZone: TimeZone) -> Table {
        Table(
            [
                .id("MEMBER"), .text("ADDRESS"), .moment("SINCE"), .text("AS"), .number("LAG"), .text("USER"),
                .text("NAME"),
            ],
            members.map { member in
                let connection = member.connection
                return [
                    Cell(member.id),
                    .optional(connection?.address) { $0 },
                    connection.map { Cell(ShownTime.moment($0.connectedAt, in: timeZone)) }
                        ?? Cell("away", style: .dim),
                    .optional(connection?.wireFormat) { $0 },
                    .optional(connection?.lag) { "\($0)" },
                    .optional(member.user, TerminalText.user),
                    self.name(of: member),
                ]
            }
        )
    }

    /// Members in several rooms.
    static func presences(_ presences: [PresentMembers.Presence]) -> Table {
        Table(
            [.id("MEMBER"), .text("ROOM"), .text("ADDRESS"), .text("USER"), .text("NAME")],
            presences.map { presence in
                [
                    Cell(presence.member.id), Cell(presence.room),
                    .optional(presence.member.connection?.address) { $0 },
                    .optional(presence.member.user, TerminalText.user),
                    self.name(of: presence.member),
                ]
            }
        )
    }

    static func sheet(_ member: AdminMember, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        sheet.add("member", Cell(member.id))
        sheet.add("name", .name(of: member.person))
        sheet.add("user", .optional(member.user, TerminalText.user))
        sheet.add("muted", Cell(member.isMuted ? "yes" : "no"))
        sheet.add("client_data", .optional(member.clientData) { $0.description })
        sheet.add("auth_data", .optional(member.authData) { TerminalText.json($0.description) })
        guard let connection = member.connection else {
            sheet.add("connection", Cell("lost; it can still come back"))
            return sheet
        }
        sheet.add("address", .optional(connection.address) { $0 })
        sheet.add("speaks", Cell(connection.wireFormat))
        sheet.add("connected since", Cell(ShownTime.moment(connection.connectedAt, in: timeZone)))
        sheet.add(
            "lag",
            Cell("\(Counted.text(connection.lag, "message")), \(ShownSize.text(connection.queuedBytes)) of replies")
        )
        return sheet
    }

    /// A mute changes nothing of the colour.
    private static func name(of member: AdminMember) -> Cell {
        let cell = Cell.name(of: member.person)
        return member.isMuted ? Cell(cell.text + " (muted)", style: cell.style) : cell
    }
}
