import Foundation
import RoomStore

/// Whether the clock is right, as far as that can be told from here: ids and times of messages come from it.
struct ClockCheck {
    /// Beyond this the broker is stamping noticeably ahead of its clock, in milliseconds.
    private static let leeway: Int64 = 5_000
    private static let tooFar: Int64 = 60_000
    /// 2025-01-01: no Roomline is older.
    private static let earliest: Int64 = 1_735_689_600_000

    private let directory: DoctoredDirectory?
    /// Unix milliseconds.
    private let now: Int64

    init(_ directory: DoctoredDirectory?, now: Int64) {
        self.directory = directory
        self.now = now
    }

    func findings() -> [Finding] {
        let advice = "set the clock, and keep it synchronised with chrony, systemd-timesyncd or ntpd"
        guard self.now >= Self.earliest else {
            return [Finding("clock", .problem, "the clock says \(Self.text(self.now))", advice: advice)]
        }
        if let newest = self.newest, newest > self.now + Self.leeway {
            return [
                Finding(
                    "clock",
                    newest > self.now + Self.tooFar ? .problem : .warning,
                    """
                    the clock says \(Self.text(self.now)), but ids were given until \(Self.text(newest)): new ones go on from \
                    there, ahead of the clock
                    """,
                    advice: advice
                )
            ]
        }
        switch SystemClock.isSynchronised {
        case true?: return [Finding("clock", .ok, "the clock is synchronised")]
        case false?:
            return [Finding("clock", .warning, "the system says that the clock is not synchronised", advice: advice)]
        case nil:
            return [
                Finding("clock", .ok, "the clock is not behind; the system does not tell whether it is synchronised")
            ]
        }
    }

    /// The highest time of an id that is known here.
    private var newest: Int64? {
        guard let directory, directory.status("clock") != nil else { return nil }
        return StoredFile.clock(directory.file("clock"))
    }

    private static func text(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
