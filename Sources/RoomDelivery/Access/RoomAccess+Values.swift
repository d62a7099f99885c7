package import NIOCore
package import RoomCore
package import RoomDocuments
import RoomJSON
package import RoomModel

/// The publisher of a message that does not come from a connection. It becomes the message's sender (protocol §2).
package enum ExternalSender: Equatable, Sendable {
    case rest
    /// An administrator, by the name in the audit log.
    case admin(String)

    package var sender: Sender {
        switch self {
        case .rest: return .rest
        case .admin(let name):
            var json = ByteBuffer(string: "{\"id\":")
            json.writeJSONString(name)
            json.writeString(",\"kind\":\"admin\"}")
            return Sender(clientID: nil, json: json)
        }
    }
}

/// A publisher without a connection, and the restrictions that hold for it.
package struct ExternalPublisher: Equatable, Sendable {
    package var sender: ExternalSender
    /// The person for whom bans, mutes and the room's rules are looked up; `nil` for administrators, and for who has
    /// the channel's secret.
    package var person: SanctionedPerson?
    /// The permission of the publisher's token in the room; `nil` where nothing restricts it.
    package var permission: RoomPermission?
    /// The maker to whom a room is counted that it brings to life; `nil`: nobody.
    package var maker: RoomMaker?

    package init(
        _ sender: ExternalSender,
        person: SanctionedPerson? = nil,
        permission: RoomPermission? = nil,
        maker: RoomMaker? = nil
    ) {
        self.sender = sender
        self.person = person
        self.permission = permission
        self.maker = maker
    }
}

/// The answer to a publish that is in its room's log.
package struct ExternalPublishReceipt: Equatable, Sendable {
    package var id: UniqueID
    package var seq: UInt64?
    package var isDuplicate: Bool = false
    /// The work that the publish has caused, in the units of `Work`.
    package var caused: Int = 0
    /// Unix seconds.
    package var timestamp: Int64 { self.id.milliseconds / 1_000 }
}

/// Which rooms of a channel to list.
package struct RoomQuery: Equatable, Sendable {
    /// Only names that begin with these bytes.
    package var prefix: String
    /// Only names behind this one; `nil`: from the first.
    package var after: RoomName?
    /// 1 or more.
    package var limit: Int

    package init(prefix: String = "", after: RoomName? = nil, limit: Int = .max) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }
}

/// Rooms sorted by the bytes of their names.
package struct RoomPage: Equatable, Sendable {
    package var rooms: [AdminRoomSummary]
    package var hasMore: Bool
    /// Rooms with members in the whole channel.
    package var total: Int

    package init(rooms: [AdminRoomSummary], hasMore: Bool, total: Int) {
        self.rooms = rooms
        self.hasMore = hasMore
        self.total = total
    }
}

/// Which members of a room to list.
package struct MemberQuery: Equatable, Sendable {
    /// Only ids behind this one; `nil`: from the first.
    package var after: String?
    /// 1 or more.
    package var limit: Int

    package init(after: String? = nil, limit: Int) {
        self.after = after
        self.limit = limit
    }
}

/// Members sorted by their ids.
package struct MemberPage: Equatable, Sendable {
    package var members: [AdminMember]
    package var hasMore: Bool
    /// Members of the whole room.
    package var total: Int

    package init(members: [AdminMember], hasMore: Bool, total: Int) {
        self.members = members
        self.hasMore = hasMore
        self.total = total
    }
}

package struct HistoryFrames: Equatable, Sendable {
    /// `publish` frames, ascending by `seq`.
    package var frames: [ByteBuffer]
    /// The `seq` of the first frame; the others follow without holes.
    package var firstSeq: UInt64?
    /// Damaged messages, which would be before or behind the frames.
    package var lost: ClosedRange<UInt64>?
    package var hasMore: Bool
    package var epoch: Epoch
    /// The newest message's.
    package var seq: UInt64
}

/// The state of the broker, and totals since its start.
package struct BrokerStatistics: Equatable, Sendable {
    package var connections = 0
    /// Rooms with members.
    package var rooms = 0
    /// A client counts in each room that it is in.
    package var members = 0
    /// Messages accepted, and copies of them written out.
    package var publishes = 0
    package var deliveries = 0
    /// The bytes of both.
    package var publishedBytes = 0
    package var deliveredBytes = 0
    /// Requests of clients that were answered with an error.
    package var errors = 0
    package var channels: [ChannelStatistics] = []

    package struct ChannelStatistics: Equatable, Sendable {
        package var id: ChannelID
        package var connections: Int
        package var rooms: Int
        /// Messages that its rooms took.
        package var publishes: Int = 0
    }

    package init() {}
}
