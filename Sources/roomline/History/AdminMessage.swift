import Foundation
import NIOCore
import RoomClient

/// An entry of a room's history: a message as it was published, what is left of one that was redacted, or the redaction.
struct AdminMessage: AdminDocument, Equatable, Sendable {
    struct Sender: Decodable, Equatable, Sendable {
        let id: String
        /// The kind of a sender that is no member.
        let kind: String?
        let clientData: JSON?
    }

    /// A moderator has taken a message away: an entry with a place of its own.
    struct Redaction: Equatable, Sendable {
        let target: UInt64
        let reason: String?
    }

    let id: String
    let seq: UInt64
    /// Unix seconds.
    let timestamp: Int64
    let sender: Sender
    /// `nil` where it is nested too deep to be shown.
    let message: JSON?
    /// The content of the message is gone.
    let isRedacted: Bool
    /// `nil`: this is a message.
    let redaction: Redaction?

    init(json: ByteBuffer) throws(CommandFailure) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.id = fields.id
        self.seq = fields.seq
        self.timestamp = fields.timestamp
        self.sender = fields.sender
        self.message = .field("message", of: json)
        self.isRedacted = fields.redacted ?? false
        self.redaction = fields.targetSeq.map { Redaction(target: $0, reason: fields.reason) }
    }

    private struct Fields: Decodable {
        let id: String
        let seq: UInt64
        let timestamp: Int64
        let sender: Sender
        let redacted: Bool?
        let targetSeq: UInt64?
        let reason: String?
    }

    var date: Date { Date(timeIntervalSince1970: Double(self.timestamp)) }

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
