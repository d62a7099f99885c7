import Foundation
import GRDB
package import RoomModel

/// A room of a history file, and what it takes.
package struct LargeRoom: Equatable, Sendable {
    package var room: RoomKey
    package var messages: UInt64
    package var bytes: UInt64
    /// `bytes` follows from some of the messages.
    package var isEstimate: Bool
}

/// The rooms of a history file that take most, from a look at a bounded number of rows of each.
struct LargestRooms {
    private let limit: Int
    /// The largest first.
    private(set) var rooms: [LargeRoom] = []

    init(_ db: Database, limit: Int) throws {
        self.limit = limit
        // a file of an earlier version keeps its messages elsewhere
        guard limit > 0, try db.tableExists("batch") else { return }
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, channel, CAST(name AS BLOB) AS name, last_seq, oldest_seq FROM room"
        )
        while let row = try rows.next() { try self.add(db, row) }
    }

    private mutating func add(_ db: Database, _ row: Row) throws {
        // a damaged file is no reason to end
        let last = UInt64(max(0, row["last_seq"] as Int64))
        let oldest = UInt64(max(1, row["oldest_seq"] as Int64))
        guard oldest <= last, let channel = ChannelID(row["channel"] as String) else { return }
        let sample = try RoomSample(db, room: row["id"], seqs: oldest...last)
        let messages = last - oldest + 1
        let bytes = sample.isComplete ? sample.bytes : sample.bytes(of: messages)
        guard self.rooms.count < self.limit || bytes > self.rooms.last?.bytes ?? 0 else { return }
        let name = RoomName(String(decoding: row["name"] as Data, as: UTF8.self))
        let room = LargeRoom(
            room: RoomKey(channel: channel, room: name),
            messages: messages,
            bytes: bytes,
            isEstimate: !sample.isComplete
        )
        let place = self.rooms.firstIndex { $0.bytes < bytes } ?? self.rooms.count
        self.rooms.insert(room, at: place)
        if self.rooms.count > self.limit { self.rooms.removeLast() }
    }
}
