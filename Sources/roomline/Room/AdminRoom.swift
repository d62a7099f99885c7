import RoomAdmin
import RoomModel

extension AdminRules {
    /// `locked`, `slow 10s`, `at most 50`: those that are set.
    var words: [String] {
        [
            self.locked ? "locked" : nil,
            self.slowModeSeconds.map { "slow \(ShownTime.duration(seconds: Double($0)))" },
            self.memberLimit.map { "at most \($0)" },
        ].compactMap(\.self)
    }
}

/// Rooms as people read them.
enum RoomTables {
    static func list(_ rooms: [AdminRoomSummary]) -> Table {
        Table(
            [.number("MEMBERS"), .text("RULES"), .text("ROOM")],
            rooms.map { room in
                let rules = room.rules?.words ?? []
                return [
                    Cell(room.members), rules.isEmpty ? .none : Cell(rules.joined(separator: ", ")), Cell(room.name),
                ]
            }
        )
    }

    static func sheet(_ room: AdminRoom) -> FactTable {
        var sheet = FactTable()
        sheet.add("room", Cell(room.name))
        sheet.add("channel", Cell(room.channel))
        let away = room.members - room.subscribers
        sheet.add(
            "members",
            Cell(away > 0 ? "\(room.members), \(away) of them without a connection" : "\(room.members)")
        )
        sheet.add("shows members", Cell(room.observable ? "yes" : "no"))
        sheet.add("history", Cell(room.history.text))
        self.add(room.rules, to: &sheet)
        sheet.add("newest message", Cell(room.seq))
        sheet.add("epoch", Cell(room.epoch))
        sheet.add(
            "in memory",
            Cell("\(ShownSize.text(room.window.bytes)) in \(Counted.text(room.window.chunks, "chunk"))")
        )
        return sheet
    }

    static func rules(_ rules: AdminRules, of room: String) -> FactTable {
        var sheet = FactTable()
        sheet.add("room", Cell(room))
        self.add(rules, to: &sheet)
        return sheet
    }

    private static func add(_ rules: AdminRules?, to sheet: inout FactTable) {
        let reason = rules?.lockReason.map { "yes: \($0)" } ?? "yes"
        sheet.add("locked", Cell(rules?.locked == true ? reason : "no"))
        let pause = rules?.slowModeSeconds.map { "a message in \(ShownTime.duration(seconds: Double($0))) from each" }
        sheet.add("slow-mode", Cell(pause ?? "off"))
        sheet.add("members at most", Cell(rules?.memberLimit.map { "\($0)" } ?? "as the channel says"))
    }
}
