/// Rooms as people read them.
enum RoomTables {
    static func list(_ rooms: [AdminRoomSummary]) -> Table {
        Table([.number("MEMBERS"), .text("ROOM")], rooms.map { [Cell($0.members), Cell($0.name)] })
    }

    static func sheet(_ room: AdminRoom) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("room", Cell(room.name))
        sheet.add("channel", Cell(room.channel))
        let away = room.members - room.subscribers
        sheet.add(
            "members",
            Cell(away > 0 ? "\(room.members), \(away) of them without a connection" : "\(room.members)")
        )
        sheet.add("shows members", Cell(room.observable ? "yes" : "no"))
        sheet.add("history", Cell(room.history.text))
        sheet.add("newest message", Cell(room.seq))
        sheet.add("epoch", Cell(room.epoch))
        sheet.add("in memory", Cell("\(room.window.bytes) bytes in \(room.window.chunks) chunks"))
        return sheet
    }
}
