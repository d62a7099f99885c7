import Foundation
import NIOCore
import RoomAdmin
import RoomClient

extension AdminMessage {
    var person: Person {
        if let kind = self.sender.kind { return Person(service: self.sender.id, of: kind) }
        return Person(id: self.sender.id, clientData: self.sender.clientData)
    }

    private struct TextBody: Decodable {
        let text: String
    }

    /// The text of a message that is or has one; of another its JSON; of a redaction why. `nil`: nothing is left of it.
    var text: String? {
        if let redaction { return redaction.reason }
        if self.isRedacted { return nil }
        // Any value is a message; where it has no text, its JSON is shown.
        return self.message?.string ?? (try? self.message?.decode(as: TextBody.self))?.text ?? self.json ?? "…"
    }

    /// What a search looks through: the text as it is shown, and all of a message that has more than its text.
    var searchedTexts: [String] {
        guard let text else { return [] }
        guard self.redaction == nil, self.message?.string == nil, let json, json != text else { return [text] }
        return [text, json]
    }

    private var json: String? { self.message?.description }
}

/// An entry of a history as people read it: `41  2026-11-21 15:12:07  Luke: hello`, and where a moderator has redacted it,
/// `41  2026-11-21 15:12:07  Luke (removed)` and `42  2026-11-21 15:13:20  Leia removed message 41: spam`
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
            return StyledLine.Span(text: " removed message \(redaction.target)\(text)", style: .dim)
        }
        return message.isRedacted
            ? StyledLine.Span(text: " (removed)", style: .dim) : StyledLine.Span(text: text, style: .normal)
    }
}
