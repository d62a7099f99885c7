import Foundation
import GRDB
import RoomCore
import RoomModel

/// Adds up what is stored of each channel, some rooms at a time. Messages are counted in every room. The bytes of a room
/// follow from a look at a bounded number of its rows (`RoomSample`); where there are very many rooms, only some are looked
/// at, and the others count as if their messages were as large.
struct StoredUsageCount: Sendable {
    /// The most rooms in one read.
    static let roomsInStep = 64
    /// Beyond so many rooms, some are not looked at.
    static let mostSampled = 8_192

    private struct Sums: Sendable {
        var channel = StoredUsage.Channel()
        /// The messages of the rooms that were not looked at.
        var unseenMessages: UInt64 = 0
    }

    /// Every so many rooms one is looked at.
    private let stride: Int
    private var channels: [ChannelID: Sums] = [:]
    private var rooms = 0
    /// The id of the last room so far.
    private var position: Int64 = 0
    private(set) var isComplete = false

    /// - Parameter mostSampled: how many rooms are looked at.
    init(_ db: Database, mostSampled: Int = Self.mostSampled) throws {
        let total = try StoredRooms.counts(db).rooms.values.reduce(0, +)
        self.stride = max(1, (total + mostSampled - 1) / mostSampled)
    }

    /// Goes on with the next rooms.
    mutating func add(_ db: Database) throws {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT id, channel, last_seq, oldest_seq FROM room WHERE id > ? ORDER BY id LIMIT ?"
            ),
            arguments: [self.position, Self.roomsInStep]
        )
        for row in rows {
            self.position = row["id"]
            try self.add(db, row)
        }
        self.isComplete = rows.count < Self.roomsInStep
    }

    private mutating func add(_ db: Database, _ row: Row) throws {
        guard let channel = ChannelID(row["channel"] as String) else { return }
        let isSampled = self.rooms.isMultiple(of: self.stride)
        self.rooms += 1
        var sums = self.channels[channel] ?? Sums()
        defer { self.channels[channel] = sums }
        sums.channel.rooms += 1
        // a damaged file is no reason to end
        let last = UInt64(max(0, row["last_seq"] as Int64))
        let oldest = UInt64(max(1, row["oldest_seq"] as Int64))
        guard oldest <= last else { return }
        let messages = last - oldest + 1
        sums.channel.messages &+= messages
        guard isSampled else {
            sums.unseenMessages &+= messages
            return
        }
        let sample = try RoomSample(db, room: self.position, seqs: oldest...last)
        sums.channel.bytes &+= sample.isComplete ? sample.bytes : sample.bytes(of: messages)
        if !sample.isComplete { sums.channel.isEstimate = true }
    }

    /// The sum of all rooms so far.
    var usage: [ChannelID: StoredUsage.Channel] {
        let seen = self.channels.values.reduce(into: (messages: 0.0, bytes: 0.0)) { sum, channel in
            sum.messages += Double(channel.channel.messages &- channel.unseenMessages)
            sum.bytes += Double(channel.channel.bytes)
        }
        return self.channels.mapValues { sums in
            guard sums.unseenMessages > 0 else { return sums.channel }
            var channel = sums.channel
            let own = (Double(channel.messages &- sums.unseenMessages), Double(channel.bytes))
            // a channel of which no room was looked at is like the others
            let (messages, bytes) = own.0 > 0 ? own : (seen.messages, seen.bytes)
            let unseen = messages > 0 ? (bytes / messages * Double(sums.unseenMessages)).rounded() : 0
            channel.bytes &+= UInt64(exactly: unseen) ?? 0
            channel.isEstimate = true
            return channel
        }
    }
}
