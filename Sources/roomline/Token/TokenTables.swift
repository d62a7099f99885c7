import Foundation
import RoomCore
import RoomJSON

/// Tokens as people read them.
enum TokenTables {
    /// - Parameter now: to tell whether it has expired.
    static func sheet(_ token: TokenText, now: Date, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        sheet.add("signed with", .optional(token.header["alg"], self.text))
        sheet.add("channel", .optional(token.claims["channel"], self.text))
        sheet.add("client", token.claims["client"].map { Cell(self.text($0)) } ?? Cell("any"))
        for (name, claim) in [("issued", "iat"), ("not before", "nbf")] {
            guard let date = self.date(token.claims[claim]) else { continue }
            sheet.add(name, Cell(ShownTime.moment(date, in: timeZone)))
        }
        sheet.add("expires", self.expiry(self.date(token.claims["exp"]), now: now, in: timeZone))
        sheet.add("data", .optional(token.claims["data"]) { TerminalText.json($0.text) })
        sheet.add("user", self.user(token.claims["data"]))
        sheet.add("permissions", self.permissions(token.claims["permissions"]))
        return sheet
    }

    /// The permissions that a valid token gives its member in some rooms.
    static func permissions(_ rooms: [(room: String, permission: RoomPermission)]) -> Table {
        Table(
            [.text("PUBLISH"), .text("SUBSCRIBE"), .number("HISTORY"), .text("MODERATE"), .text("ROOM")],
            rooms.map { room, permission in
                [
                    self.answer(permission.publish), self.answer(permission.subscribe), Cell(permission.history),
                    self.answer(permission.moderate), Cell(room),
                ]
            }
        )
    }

    private static func answer(_ yes: Bool) -> Cell { yes ? Cell("yes") : .none }

    private static func text(_ value: JSONTree) -> String {
        if case .string(let text) = value { return text }
        return value.text
    }

    /// The user that a ban or a mute with `--user` names.
    private static func user(_ data: JSONTree?) -> Cell {
        guard let data else { return Cell("none: there is no data") }
        if let user = UserIdentity.of(Array(data.text.utf8)) { return Cell(TerminalText.user(user)) }
        guard case .object = data else { return Cell("none: data names nobody") }
        return Cell("none: data has no id, user_id or sub")
    }

    private static func date(_ value: JSONTree?) -> Date? {
        guard case .number(let digits)? = value, let number = Double(digits), let seconds = TokenTime.seconds(number)
        else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func expiry(_ date: Date?, now: Date, in timeZone: TimeZone) -> Cell {
        guard let date else { return .none }
        guard date.timeIntervalSince1970 < TokenTime.never else { return Cell("never") }
        let left = date.timeIntervalSince(now)
        let moment = ShownTime.moment(date, in: timeZone)
        let distance = ShownTime.duration(seconds: abs(left).rounded())
        return Cell(left > 0 ? "\(moment), in \(distance)" : "\(moment), \(distance) ago")
    }

    /// A pattern a line, with what stands behind it.
    private static func permissions(_ claim: JSONTree?) -> [Cell] {
        guard case .object(let rules)? = claim else { return [] }
        return rules.map { rule in
            guard case .object(let fields) = rule.value else { return Cell("\(rule.name)  \(rule.value.text)") }
            let words = fields.map { field in
                switch field.value {
                case .bool(true): field.name
                case .bool(false): "no \(field.name)"
                default: "\(field.name) \(field.value.text)"
                }
            }
            return Cell("\(rule.name)  \(words.isEmpty ? "nothing" : words.joined(separator: ", "))")
        }
    }
}
