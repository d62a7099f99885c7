import NIOCore
import RoomCore
import RoomModel

/// What the owner of a room sends to one shard for one batch: the chunk, and what concerns that shard's connections.
struct ShardDelivery: Sendable {
    var key: RoomKey
    var epoch: Epoch
    var log: LogID?
    /// What the log keeps.
    var retention: HistorySettings?
    /// The window from its start, for a shard that has no replica yet.
    var window: [Chunk]?
    var windowEnd = 0
    /// The batch's chunk, for a shard that has a replica.
    var chunk: Chunk?
    var redacted: [Redacted] = []
    /// Older chunks are dropped.
    var windowStart = 0
    var items: [Item] = []
    /// The shard's last subscriber has gone.
    var dropsReplica = false

    enum Item: Sendable {
        case acknowledge(Acknowledgement)
        case attach(Attachment)
        case detached(ConnectionRef)
        /// Taken out by a moderator: it gets what came before this place of the log.
        case removed(ConnectionRef, KickCommand, before: Cursor)
        case kicked(Origin, wasMember: Bool)
        case refuse(Origin, RequestError)
        case refuseJoin(ConnectionRef, RequestError)
        case members(Origin, MemberSnapshot)
        case history(Origin, HistoryRequest, seq: UInt64)
        case located(Origin)
        case moderated(Origin, ModerationReceipt)
        case cleared(Cleared)
        case logReread(isNewEpoch: Bool, seq: UInt64, snapshot: MemberSnapshot?)
    }

    struct Attachment: Sendable {
        var join: JoinCommand
        var grant: JoinGrant
        var snapshot: MemberSnapshot?
        var cursor: Cursor
    }
}
