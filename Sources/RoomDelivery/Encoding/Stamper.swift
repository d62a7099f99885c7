import RoomCore
import RoomModel

/// Makes the ids of one shard: UUIDv7, strictly increasing whatever the clock does (RFC 9562 §6.2, method 1).
///
/// A room has one owner shard, so its ids increase too. The floor carries the promise over a restart.
struct Stamper {
    /// Those of the newest id.
    private var milliseconds: Int64
    private var sequence = 0
    private var reserved: Int64 = 0
    /// `nil`: what it has given is known from elsewhere.
    private let floor: (any IDFloor)?

    init(floor: any IDFloor) {
        self.floor = floor
        self.milliseconds = floor.current
    }

    /// The ids of one room, which are stored with its messages.
    init(after id: UniqueID) {
        self.floor = nil
        self.milliseconds = id.milliseconds
        self.sequence = Int(id.sequence)
    }

    /// The ids from now on; `used` has to follow before the next ones are asked for.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - seed: 64 random bits.
    func ids(now: Int64, seed: UInt64) -> IDSequence {
        now > self.milliseconds
            ? IDSequence(milliseconds: now, seed: seed)
            : IDSequence(milliseconds: self.milliseconds, sequence: self.sequence, seed: seed)
    }

    /// These ids are given up to the newest one.
    mutating func used(_ ids: IDSequence) {
        self.milliseconds = ids.milliseconds
        self.sequence = ids.sequence
        guard self.milliseconds >= self.reserved else { return }
        self.reserved = self.milliseconds + Self.reserve
        self.floor?.reserve(through: self.reserved)
    }

    /// One id.
    mutating func next(now: Int64, seed: UInt64) -> UniqueID {
        var ids = self.ids(now: now, seed: seed)
        let id = ids.next()
        self.used(ids)
        return id
    }

    /// The next id will be greater than this one.
    mutating func raise(to id: UniqueID) {
        let sequence = Int(id.sequence)
        guard (id.milliseconds, sequence) > (self.milliseconds, self.sequence) else { return }
        self.milliseconds = id.milliseconds
        self.sequence = sequence
    }

    /// How far ahead the floor is moved at once, in milliseconds: a restart within it stamps that far ahead at most.
    private static let reserve: Int64 = 100
}

/// Remembers over restarts up to which Unix millisecond ids have been made. Calls come from all shards.
package protocol IDFloor: Sendable {
    var current: Int64 { get }
    func reserve(through milliseconds: Int64)
}
