import Foundation
import RoomClient

/// `HH:MM:SS room name: text`
struct TailText {
    let timeZone: TimeZone

    func line(for event: RoomEvent<JSON>, in room: String, now: Date) -> String? {
        var time = now
        let text: String
        switch event {
        case .message(let message):
            // As for plain-text clients: what is worthless a moment later is no line.
            guard message.seq != nil else { return nil }
            time = message.time
            text = "\(Person(message.sender).shownName): \(TerminalText.line(message.shownText))"
        case .members, .updated: return nil
        case .joined(let member): text = "* \(Person(member).shownName) joined"
        case .left(let member): text = "* \(Person(member).shownName) left"
        case .gap(let gap): text = "* \(gap.text)"
        }
        return "\(ClockTime(time, in: self.timeZone).seconds) \(TerminalText.line(room)) \(text)"
    }
}
