import Foundation
import GRDB
package import RoomCore
package import RoomModel

extension HistoryStore: StoredRoomList {
    package func storedRooms(
        in channel: ChannelID,
        _ query: StoredRoomQuery
    ) async throws(EngineError) -> StoredRoomPage {
        let result = await withCheckedContinuation { continuation in
            self.read(generation: nil, for: .reader(query.asker), { continuation.resume(returning: $0) }) { db, _ in
                try Self.page(db, channel, query)
            }
        }
        return try result.get()
    }

    private static func page(
        _ db: Database,
        _ channel: ChannelID,
        _ query: StoredRoomQuery
    ) throws -> StoredRoomPage {
        let isAfter = query.after != nil
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, CAST(name AS BLOB) AS name, epoch, last_seq, last_high, oldest_seq FROM room
                    WHERE channel = ? AND name >= ? AND name \(isAfter ? ">" : ">=") ? ORDER BY name LIMIT ?
                    """
            ),
            arguments: [channel.text, query.prefix, query.after?.text ?? query.prefix, query.limit + 1]
        )
        let prefix = Array(query.prefix.utf8)
        // The names are in order, so none behind the first other one has the prefix.
        let named = rows.prefix { Array($0["name"] as Data).starts(with: prefix) }
        return StoredRoomPage(
            rooms: try named.prefix(query.limit).map { try self.summary(db, $0) },
            hasMore: named.count > query.limit,
            total: try StoredRooms.count(db, in: channel)
        )
    }

    private static func summary(_ db: Database, _ row: Row) throws -> StoredRoomSummary {
        // a damaged file is no reason to end
        let last = UInt64(max(0, row["last_seq"] as Int64))
        let oldest = UInt64(max(1, row["oldest_seq"] as Int64))
        var summary = StoredRoomSummary(
            name: RoomName(String(decoding: row["name"] as Data, as: UTF8.self)),
            epoch: Epoch(rawValue: UInt64(bitPattern: row["epoch"] as Int64)),
            lastSeq: last,
            messages: 0,
            bytes: 0,
            isEstimate: false,
            times: nil
        )
        guard oldest <= last else { return summary }
        let sample = try RoomSample(db, room: row["id"], seqs: oldest...last)
        summary.messages = last - oldest + 1
        summary.bytes = sample.isComplete ? sample.bytes : sample.bytes(of: summary.messages)
        summary.isEstimate = !sample.isComplete
        if let first = sample.oldest, let high = row["last_high"] as Int64? {
            summary.times = first...max(first, Int64(UInt64(bitPattern: high) >> 16))
        }
        return summary
    }
}
