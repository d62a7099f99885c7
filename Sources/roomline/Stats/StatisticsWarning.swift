import Foundation
import RoomAdmin
import RoomModel

/// A word of the broker for something that somebody should look at before it is too late.
struct StatisticsWarning: Equatable, Sendable {
    let word: String
    /// Whether messages cannot be stored.
    private let isStorageRefused: Bool

    init(_ word: String, isStorageRefused: Bool = false) {
        self.word = word
        self.isStorageRefused = isStorageRefused
    }

    /// Whether users notice it already.
    var style: StyledLine.Style {
        switch self.word {
        case "certificate_expired", "certificate_not_yet_valid", "storage_unavailable": .bad
        case "disk_space" where self.isStorageRefused: .bad
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
        case "configuration_reload_failed":
            "the configuration has a mistake, the one before is in effect and a restart would fail: the log says why"
        case "tls_reload_failed": "a new certificate cannot be used, the one before is in use: the log says why"
        case "draining": "the broker is stopping: it takes no new connections"
        case "disk_space": "little room is left on the disk\(free)"
        case "storage_unavailable": "messages or changes cannot be stored: the log says why"
        case "cluster_partitions": "the cluster's logs cannot all be followed: the log says how many"
        case "history_incomplete": "the newest messages before the last start may be lost: the log says why"
        case "clock_not_followed":
            "the machine's clock has stepped more than a day forward: if it is right, start the broker again"
        case "ids_ahead": "ids are ahead of the clock: times of new messages are wrong"
        case "stored_rooms": "the history has nearly as many rooms as it can have"
        default: TerminalText.line(self.word)
        }
    }
}

extension AdminStatistics {
    var alarms: [StatisticsWarning] {
        let words = self.warnings ?? []
        let isStorageRefused = words.contains("storage_unavailable")
        return words.map { StatisticsWarning($0, isStorageRefused: isStorageRefused) }
    }
}
