import Foundation
import RoomClient

/// `HH:MM:SS room name: text`, and `2026-11-21 +01:00` above it where that is another day than in the line before.
struct TailText: Sendable {
    private let timeZone: TimeZone
    /// The day of the line before.
    private var day: String

    /// - Parameter now: what is of this day needs no date.
    init(timeZone: TimeZone, now: Date) {
        self.timeZone = timeZone
        self.day = ClockTime(now, in: timeZone).day
    }

    /// `nil` for what is not shown.
    mutating func line(for event: RoomEvent<JSON>, in room: String, now: Date) -> String? {
        var time = now
        let text: String
        switch event {
        case .message(let message):
            // As for plain-text clients: what is worthless a moment later is not a line.
            guard message.seq != nil else { return nil }
            time = message.time
            let said = message.isRedacted ? "(removed by a moderator)" : TerminalText.line(message.chatText)
            text = "\(Person(message.sender).shownName): \(said)"
        case .signal, .members, .updated: return nil
        case .joined(let member): text = "* \(Person(member).shownName) joined"
        case .left(let member): text = "* \(Person(member).shownName) left"
        case .gap(let gap): text = "* \(gap.text)"
        case .redacted(let redaction):
            time = redaction.time
            text =
                "* \(Person(redaction.sender).shownName) removed message \(redaction.messageSeq)\(Self.reason(redaction.reason))"
        case .cleared(_, let sender): text = "* \(Person(sender).shownName) deleted all messages"
        case .notice(let notice): text = "* \(TerminalText.line(notice.text))"
        case .muteChanged(let mute): text = "* \(Mute.text(mute, in: self.timeZone))"
        }
        let clock = ClockTime(time, in: self.timeZone)
        let line = "\(clock.seconds) \(TerminalText.line(room)) \(text)"
        guard clock.day != self.day else { return line }
        self.day = clock.day
        return "\(clock.day) \(clock.offset)\n\(line)"
    }

    private static func reason(_ reason: String?) -> String {
        reason.map { ": \(TerminalText.line($0))" } ?? ""
    }
}
