import Foundation
import RoomClient

extension RoomModerationState {
    /// For people, a line each.
    func lines(in timeZone: TimeZone) -> [String] {
        let rules = [
            self.isLocked ? "the room is locked" + (self.lockReason.map { ": \($0)" } ?? "") : nil,
            self.slowMode.map {
                "slow mode: a message every \(ShownTime.duration(seconds: Double($0.components.seconds)))"
            },
            self.memberLimit.map { "at most \($0) members" },
        ].compactMap(\.self)
        guard !self.sanctions.isEmpty else { return rules + ["nobody is banned or muted in this room"] }
        let more = self.sanctionCount - self.sanctions.count
        return rules + self.sanctions.map { $0.line(in: timeZone) } + (more > 0 ? ["and \(more) older ones"] : [])
    }
}

extension RoomModerationState.Sanction {
    /// `user:luke is muted until 14:05:00, by member:leia: spam`
    fileprivate func line(in timeZone: TimeZone) -> String {
        let (subject, deed) = (self.subject.shown, self.kind == .ban ? "banned" : "muted")
        let end = self.until.map { " until \(ShownTime.end($0, now: Date(), in: timeZone))" } ?? ""
        return "\(subject) is \(deed)\(end), by \(TerminalText.actor(self.author))"
            + (self.reason.map { ": \($0)" } ?? "")
    }
}

extension ModerationSubject {
    /// As the commands take it.
    fileprivate var shown: String {
        switch self {
        case .user(let user): "user:\(TerminalText.user(user))"
        case .client(let id): "id:\(id)"
        case .address(let address): address
        }
    }
}
