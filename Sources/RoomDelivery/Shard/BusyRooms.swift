import RoomCore
import RoomModel

/// The units that a room has cost its event loop since the last sample of `BusyRooms`, which keeps it with the room.
struct RoomUse {
    fileprivate var units = 0
    fileprivate var period = 0
}

/// Knows which rooms cost most of an event loop: those that it owns by their batches, and its replicas by their fan-out. A
/// counter of the room is all that a batch costs.
struct BusyRooms {
    /// The units of those that cost most, and of all.
    struct Sample {
        var rooms: [(room: RoomKey, units: Int)] = []
        var units = 0
    }

    /// How many are looked at; those beyond are only counted.
    static let most = 1_000

    private var rooms: [any ListedRoom] = []
    private var units = 0
    /// Numbers the time between two samples.
    private var period = 1

    mutating func spent(_ units: Int, on room: some ListedRoom) {
        self.units &+= units
        if room.use.period != self.period {
            room.use = RoomUse(period: self.period)
            if self.rooms.count < Self.most { self.rooms.append(room) }
        }
        room.use.units &+= units
    }

    /// Takes the units that the rooms have cost since the sample before.
    mutating func takeSample(naming count: Int) -> Sample {
        // a room that the loop owns can have a replica here, too
        var units: [RoomKey: Int] = [:]
        for room in self.rooms { units[room.key, default: 0] += room.use.units }
        let sample = Sample(
            rooms: units.sorted { $0.value > $1.value }.prefix(count).map { ($0.key, $0.value) },
            units: self.units
        )
        self.rooms.removeAll(keepingCapacity: true)
        self.units = 0
        self.period += 1
        return sample
    }
}
