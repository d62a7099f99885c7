import RoomModel

/// Makes the ids of one shard: UUIDv7, strictly increasing whatever the clock does (RFC 9562 §6.2, method 1).
///
/// A room has one owner shard, so its ids increase too. The floor carries the promise over a restart.
struct Stamper {
    private var milliseconds: Int64 = 0
    private var sequence: UInt16 = 0
    private var reserved: Int64 = 0
    private let floor: any IDFloor

    init(floor: any IDFloor) {
        self.floor = floor
        self.milliseconds = floor.current
    }

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - random: 64 random bits.
    mutating func next(now: Int64, random: UInt64) -> UniqueID {
        if now > self.milliseconds {
            self.milliseconds = now
            self.sequence = 0
        } else if self.sequence < 0xfff {
            self.sequence += 1
        } else {
            self.milliseconds += 1
            self.sequence = 0
        }
        if self.milliseconds >= self.reserved {
            self.reserved = self.milliseconds + Self.reserve
            self.floor.reserve(through: self.reserved)
        }
        return UniqueID(milliseconds: self.milliseconds, sequence: self.sequence, random: random)
    }

    /// The next id will be greater than this one.
    mutating func raise(to id: UniqueID) {
        guard (id.milliseconds, id.sequence) > (self.milliseconds, self.sequence) else { return }
        self.milliseconds = id.milliseconds
        self.sequence = id.sequence
    }

    /// How far ahead the floor is moved at once, in milliseconds: a restart within it stamps that far ahead at most.
    private static let reserve: Int64 = 100
}

/// Remembers over restarts up to which Unix millisecond ids have been made. Calls come from all shards.
package protocol IDFloor: Sendable {
    var current: Int64 { get }
    func reserve(through milliseconds: Int64)
}
