import Foundation

/// Admin tokens as people read them.
enum AdminTokenTables {
    static func list(_ tokens: [AdminTokenDocument], in timeZone: TimeZone) -> Table {
        Table(
            [.text("NAME"), .text("SCOPES"), .text("SINCE"), .text("UNTIL")],
            tokens.map { token in
                [
                    Cell(token.name), Cell(token.scopes.joined(separator: ", ")),
                    Cell(ShownTime.moment(token.createdAt, in: timeZone)),
                    .optional(token.expiresAt) { ShownTime.moment($0, in: timeZone) },
                ]
            }
        )
    }
}
