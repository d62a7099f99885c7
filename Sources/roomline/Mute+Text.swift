import Foundation
import RoomClient

extension Mute {
    /// For people: `you are muted until 14:05:00: spam`
    func text(in timeZone: TimeZone) -> String {
        let end = self.until.map { " until \(ClockTime($0, in: timeZone).seconds)" } ?? ""
        return "you are muted\(end)" + (self.reason.map { ": \(TerminalText.line($0))" } ?? "")
    }

    static let endText = "you are not muted any more"
}
