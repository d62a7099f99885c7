import GRDB
import RoomCore
import RoomModel

/// The seed of the epochs of logs of which nothing is stored: the same room has the same one until the seed changes, so
/// that a client that comes back to a room that is still empty has missed nothing.
///
/// The seed changes with everything after which such a room's log may be another one than somebody knows: a log was
/// cleared or retired, or commits were lost.
enum EpochSeed {
    static func change(_ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE meta SET epoch_seed = random()").execute()
    }

    /// The epoch of this room's log if nothing of it is stored.
    static func epoch(of room: RoomKey, _ db: Database) throws -> Epoch {
        let seed = try Int64.fetchOne(db.cachedStatement(sql: "SELECT epoch_seed FROM meta")) ?? 0
        var bits = UInt64(bitPattern: seed) ^ room.stableHash
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return Epoch(rawValue: bits ^ bits >> 31)
    }
}
