import GRDB
import Logging
import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// How many rooms have a row, as the table `channel_rooms` counts them.
enum StoredRooms {
    static func count(_ db: Database, in channel: ChannelID) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT rooms FROM channel_rooms WHERE channel = ?"),
            arguments: [channel.text]
        ) ?? 0
    }

    static func counts(_ db: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(db, sql: "SELECT channel, rooms FROM channel_rooms")
        return Dictionary(rows.map { ($0["channel"], $0["rooms"]) }, uniquingKeysWith: { _, last in last })
    }
}

/// Warns operators, once, before there can be no more rooms in the history. Called on any thread.
final class StoredRoomsWatch: Sendable {
    private let limit: Int
    private let logger: Logger
    private let isNear = NIOLockedValueBox(false)

    /// - Parameter limit: of one channel.
    init(limit: Int, logger: Logger) {
        self.limit = limit
        self.logger = logger
    }

    /// Whether one channel, or all together, have nine tenths of the rooms that they can have.
    var isNearlyFull: Bool { self.isNear.withLockedValue(\.self) }

    /// - Parameter rooms: by channel.
    func counted(_ rooms: [String: Int]) {
        let total = rooms.values.reduce(0, +)
        let near = rooms.filter { Self.isNear($0.value, self.limit) }.keys.sorted()
        let isNear = !near.isEmpty || Self.isNear(total, Int(LogID.highestRoom))
        guard self.changed(to: isNear) else { return }
        let metadata: Logger.Metadata = [
            "rooms": "\(total)", "channels": "\(near.joined(separator: ","))", "limit.channel": "\(self.limit)",
            "limit.total": "\(LogID.highestRoom)",
        ]
        if isNear {
            self.logger.warning("the history has nearly as many rooms as it can have", metadata: metadata)
        } else {
            self.logger.notice("the history can have more rooms again", metadata: metadata)
        }
    }

    /// A room could not be stored.
    func refused(_ channel: ChannelID) {
        guard self.changed(to: true) else { return }
        self.logger.warning(
            "the history has as many rooms as it can have: messages for others are refused",
            metadata: ["channel": "\(channel)", "limit.channel": "\(self.limit)"]
        )
    }

    private func changed(to isNear: Bool) -> Bool {
        self.isNear.withLockedValue { value in
            defer { value = isNear }
            return value != isNear
        }
    }

    private static func isNear(_ count: Int, _ limit: Int) -> Bool { count >= limit - limit / 10 }
}
