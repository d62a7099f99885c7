import Foundation
import NIOCore
import RoomAdmin
import RoomClient

extension AdminMessage {
    var person: Person {
        if let kind = self.sender.kind { return Person(id: self.sender.id, name: "\(self.sender.id) (\(kind))") }
        return Person(id: self.sender.id, clientData: self.sender.clientData)
    }

    /// The text of a message that is one; of another its JSON; of a redaction why. `nil`: nothing is left of it.
    var text: String? {
        if let redaction { return redaction.reason }
        if self.isRedacted { return nil }
        return self.message?.string ?? self.message?.description ?? "…"
    }
}

/// An entry of a history as people read it: `41  2026-11-21 15:12:07  Luke: hello`, and where a moderator has redacted it,
/// `41  2026-11-21 15:12:07  Luke (redacted)` and `42  2026-11-21 15:13:20  Leia redacted 41: spam`
enum MessageLine {
    static func line(_ message: AdminMessage, in timeZone: TimeZone) -> StyledLine {
        let place = "\(message.seq)  \(ShownTime.moment(message.date, in: timeZone))  "
        return StyledLine(spans: [
            StyledLine.Span(text: place, style: .dim), message.person.span,
            self.rest(of: message),
        ])
    }

    private static func rest(of message: AdminMessage) -> StyledLine.Span {
        let text = message.text.map { ": " + TerminalText.line($0) } ?? ""
        if let redaction = message.redaction {
            return StyledLine.Span(text: " redacted \(redaction.target)\(text)", style: .dim)
        }
        return message.isRedacted
            ? StyledLine.Span(text: " (redacted)", style: .dim) : StyledLine.Span(text: text, style: .normal)
    }
}
