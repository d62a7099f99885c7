import RoomCore
import RoomStore

/// Whether the clock is right, as far as that can be told from here: ids and times of messages come from it.
struct ClockCheck {
    /// Beyond this the broker is stamping noticeably ahead of its clock, in milliseconds.
    private static let leeway: Int64 = 5_000
    private static let tooFar: Int64 = 60_000
    private static let next = "the next start gives them by the clock, and in rooms with such messages above these"
    let directory: DoctoredDirectory?
    /// Unix milliseconds.
    let now: Int64

    func findings() -> [Finding] {
        let advice = "set the clock, and keep it synchronised with chrony, systemd-timesyncd or ntpd"
        guard self.now >= ClockStep.earliest else {
            return [Finding("clock", .problem, "the clock says \(ClockStep.text(self.now))", advice: advice)]
        }
        if let directory, directory.status("clock") != nil, StoredFile.isClockDamaged(directory.file("clock")) {
            return [
                Finding(
                    "clock",
                    .warning,
                    "the file clock is damaged: the next start gives ids by the clock, and in each room above its newest message",
                    advice: "look at the disk and the memory of this machine; nothing has to be done about the file"
                )
            ]
        }
        if let newest = self.newest, newest > self.now + Self.leeway {
            return [
                Finding(
                    "clock",
                    newest > self.now + Self.tooFar ? .problem : .warning,
                    """
                    the clock says \(ClockStep.text(self.now)), but ids were given until \(ClockStep.text(newest)), ahead of the clock: \
                    \(ClockStep.isFar(from: self.now, to: newest) ? Self.next : "new ones go on from there")
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
}
