import RoomModel

@testable import RoomCluster
@testable import RoomCore

/// A node of the simulated cluster, in one of its lives.
struct SimulatedNode {
    let number: NodeNumber
    var sender: RecordSender
    var partition: Partition
    /// Which version of the channel it knows.
    var channelVersion = 0
    /// So many records of the log were applied.
    var place = 0
    /// When it starts again; `nil`: it runs.
    var downUntil: UInt64?
    /// It follows nothing until then.
    var pausedUntil: UInt64 = 0
    /// When the log has shown it a record.
    var newestRecord: UInt64 = 0
    /// Connections that have ended, which it has not noticed yet.
    var dropped: [Dropped] = []
    /// Members of its own that linger.
    var graces: [Grace] = []
    /// By how much its clock is ahead of that of the simulation.
    private let lead: UInt64

    struct Dropped {
        let at: UInt64
        let client: ClientID
        let connection: ConnectionRef
        let rooms: [Int]
    }

    struct Grace {
        let end: UInt64
        let client: ClientID
        let room: RoomKey
    }

    init(_ number: NodeNumber, _ partition: Partition, lead: UInt64) {
        self.number = number
        self.sender = RecordSender(node: number)
        self.partition = partition
        self.lead = lead
    }

    var isRunning: Bool { self.downUntil == nil }

    /// Its own clock.
    func clock(_ now: UInt64) -> UInt64 { now + self.lead }

    /// Another life of the same process: its rooms are as they are.
    func reborn(_ number: NodeNumber) -> SimulatedNode {
        var node = SimulatedNode(number, self.partition, lead: self.lead)
        node.place = self.place
        node.channelVersion = self.channelVersion
        node.newestRecord = self.newestRecord
        return node
    }
}
