import GRDB
import RoomCore

extension KnownRecord {
    /// From the columns `place` and `time`; `nil` where nothing was followed yet.
    init?(_ row: Row) {
        guard let place = row["place"] as Int64?, place > 0 else { return nil }
        let time: Int64 = row["time"]
        self.init(place: LogOffset(rawValue: UInt64(place)), time: time == 0 ? nil : time)
    }

    /// Earlier builds noted no time.
    static func addTime(to table: String, _ db: Database) throws {
        guard try !db.columns(in: table).contains(where: { $0.name == "time" }) else { return }
        try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN time INTEGER NOT NULL DEFAULT 0")
    }
}
