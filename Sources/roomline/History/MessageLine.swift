import Foundation

/// A stored message as people read it: `41  2026-11-21 15:12:07  Luke: hello`
enum MessageLine {
    static func line(_ message: AdminMessage, in timeZone: TimeZone) -> StyledLine {
        let place = "\(message.seq)  \(ShownTime.moment(message.date, in: timeZone))  "
        return StyledLine(spans: [
            StyledLine.Span(text: place, style: .dim), message.person.span,
            StyledLine.Span(text: ": " + TerminalText.line(message.shownText), style: .normal),
        ])
    }
}
