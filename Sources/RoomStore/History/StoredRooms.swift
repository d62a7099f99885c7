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

    /// The rooms by channel.
    struct Counts: Sendable {
        var rooms: [String: Int]
        /// Whether another one can have an id.
        var hasID: Bool
    }

    static func counts(_ db: Database) throws -> Counts {
        let rows = try Row.fetchAll(db, sql: "SELECT channel, rooms FROM channel_rooms")
        let rooms: [String: Int] = Dictionary(
            rows.map { ($0["channel"], $0["rooms"]) },
            uniquingKeysWith: { _, last in last }
        )
        return Counts(rooms: rooms, hasID: try ClearedLog.hasID(db))
    }
}

/// Warns operators before there can be no more rooms in the history, and when messages are refused for it: once each, until
/// there is room again. Called on any thread.
final class StoredRoomsWatch: Sendable {
    private enum State {
        case hasRoom
        case isNear
        case isRefusing
    }

    private let limit: Int
    private let logger: Logger
    private let state = NIOLockedValueBox(State.hasRoom)

    /// - Parameter limit: of one channel.
    init(limit: Int, logger: Logger) {
        self.limit = limit
        self.logger = logger
    }

    /// Whether one channel, or all together, have nine tenths of the rooms that they can have.
    var isNearlyFull: Bool { self.state.withLockedValue { $0 != .hasRoom } }

    func counted(_ counts: StoredRooms.Counts) {
        let total = counts.rooms.values.reduce(0, +)
        let near = counts.rooms.filter { Self.isNear($0.value, self.limit) }.keys.sorted()
        let isNear = !near.isEmpty || !counts.hasID || Self.isNear(total, Int(LogID.highestRoom))
        let before = self.state.withLockedValue { state in
            let before = state
            if !isNear { state = .hasRoom } else if before == .hasRoom { state = .isNear }
            return before
        }
        let metadata: Logger.Metadata = [
            "rooms": "\(total)", "channels": "\(near.joined(separator: ","))", "limit.channel": "\(self.limit)",
            "limit.total": "\(LogID.highestRoom)",
        ]
        if isNear, before == .hasRoom {
            self.logger.warning("the history has nearly as many rooms as it can have", metadata: metadata)
        } else if !isNear, before != .hasRoom {
            self.logger.notice("the history can have more rooms again", metadata: metadata)
        }
    }

    /// A room could not be stored.
    func refused(_ channel: ChannelID) {
        let isFirst = self.state.withLockedValue { state in
            defer { state = .isRefusing }
            return state != .isRefusing
        }
        guard isFirst else { return }
        self.logger.warning(
            "the history has as many rooms as it can have: messages for others are refused",
            metadata: ["channel": "\(channel)", "limit.channel": "\(self.limit)"]
        )
    }

    private static func isNear(_ count: Int, _ limit: Int) -> Bool { count >= limit - limit / 10 }
}
