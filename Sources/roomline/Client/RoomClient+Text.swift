import Foundation
import RoomClient

extension RoomMessage where Body == JSON {
    private struct TextBody: Decodable {
        let text: String
    }

    /// For people: the text of a message that is one, or of a body that has a `text`, as servers publish them; of another its JSON.
    var chatText: String {
        self.text ?? (try? self.json.decode(as: TextBody.self))?.text ?? self.json.description
    }
}

extension RoomGap {
    /// For people.
    var text: String {
        guard let seqs = self.seqs else {
            return
                "messages may be lost: the room has a new history (\(TerminalText.line(self.reason.rawValue)))"
        }
        let others = seqs.upperBound - seqs.lowerBound
        let messages = others == 0 ? "1 message is" : "\(others &+ 1) messages are"
        return "\(messages) lost (\(TerminalText.line(self.reason.rawValue)))"
    }
}

extension Mute {
    /// For people: `you are muted until 14:05:00: spam`
    ///
    /// - Parameter mute: `nil`: it is over.
    static func text(_ mute: Mute?, in timeZone: TimeZone) -> String {
        guard let mute else { return "you are not muted any more" }
        let end = mute.until.map { " until \(ShownTime.end($0, now: Date(), in: timeZone))" } ?? ""
        return "you are muted\(end)" + (mute.reason.map { ": \(TerminalText.line($0))" } ?? "")
    }
}

extension RoomClientError {
    /// Tells what was wrong, with local times.
    var shown: String { ShownTime.localized(self.message, now: Date(), in: .current) }

    /// Tells what was wrong, and what would help whoever gave the command. No token is ever in it.
    var advice: String {
        switch self.code {
        case .authenticationRequired: "\(self.message); give one with --token-file FILE, or in ROOMLINE_TOKEN"
        case .tokenExpired: "\(self.message); put a new one into the token file, or into ROOMLINE_TOKEN"
        case .tokenInvalid:
            "the token in the token file, or in ROOMLINE_TOKEN, is refused: \(self.message); ask for another one"
        case .unknownChannel: "\(self.message); name another one with --channel"
        case .kicked: "a moderator has kicked you: \(self.message)"
        default: self.shown
        }
    }
}
