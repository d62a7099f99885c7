import Foundation
import RoomAdmin

/// A word of the broker for something that somebody should look at before it is too late.
struct StatisticsWarning: Equatable, Sendable {
    let word: String

    init(_ word: String) {
        self.word = word
    }

    /// Whether users notice it already.
    var style: StyledLine.Style {
        switch self.word {
        case "certificate_expired", "certificate_not_yet_valid", "storage_unavailable": .bad
        default: .warning
        }
    }

    /// What it means; a word that this version does not know, as it stands.
    func text(of statistics: AdminStatistics, in timeZone: TimeZone) -> String {
        let end = statistics.certificateExpires.map { " on " + ShownTime.moment($0, in: timeZone) } ?? ""
        let free = statistics.diskFreeBytes.map { " (\(ShownSize.text($0)))" } ?? ""
        return switch self.word {
        case "certificate_expired": "the certificate expired\(end): clients refuse it"
        case "certificate_expires_soon": "the certificate expires\(end)"
        case "certificate_not_yet_valid": "the certificate is not valid yet: clients refuse it"
        case "disk_space": "little room is left on the disk\(free)"
        case "storage_unavailable": "messages or changes cannot be stored: the log says why"
        case "stored_rooms": "the history has nearly as many rooms as it can have"
        default: TerminalText.line(self.word)
        }
    }
}

extension AdminStatistics {
    var alarms: [StatisticsWarning] { (self.warnings ?? []).map { StatisticsWarning($0) } }
}
