import RoomCore
import RoomDelivery
import RoomDocuments
import RoomModel
import RoomWire

/// The part of the statistics that each node has for itself, and the sum of several.
struct NodeStatistics: AdminDocument, Equatable {
    private(set) var connections: UInt64 = 0
    private(set) var slow: UInt64 = 0
    private(set) var busy: UInt64 = 0
    private(set) var publishes: UInt64 = 0
    private(set) var deliveries: UInt64 = 0
    private(set) var publishedBytes: UInt64 = 0
    private(set) var deliveredBytes: UInt64 = 0
    private(set) var errors: UInt64 = 0
    // The worst, the worst first.
    private(set) var slowest: [AdminStatistics.SlowMember] = []
    private(set) var busiest: [AdminStatistics.BusyConnection] = []
    private(set) var busiestAddresses: [AdminStatistics.BusyAddress] = []
    private(set) var busiestRooms: [AdminStatistics.BusyRoom] = []
    private(set) var process = NodeProcess()
    /// The connections of each channel that has some.
    private(set) var channels: [String: UInt64] = [:]

    /// As many as somebody can look after.
    static let named = 10

    init(_ statistics: BrokerStatistics, _ slow: SlowMembers, _ busy: BusyConnections, process: NodeProcess) {
        (self.connections, self.errors) = (UInt64(statistics.connections), UInt64(statistics.errors))
        (self.publishes, self.deliveries) = (UInt64(statistics.publishes), UInt64(statistics.deliveries))
        self.publishedBytes = UInt64(statistics.publishedBytes)
        self.deliveredBytes = UInt64(statistics.deliveredBytes)
        (self.slow, self.slowest) = (UInt64(slow.count), slow.furthest)
        (self.busy, self.busiest) = (UInt64(busy.count), busy.busiest.map { .init($0) })
        (self.busiestAddresses, self.busiestRooms) = (busy.addresses.map { .init($0) }, busy.rooms.map { .init($0) })
        self.process = process
        let channels = statistics.channels.filter { $0.connections > 0 }
        self.channels = Dictionary(channels.map { ($0.id.text, UInt64($0.connections)) }) { $1 }
    }

    init(placeholder: ()) {}

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("connections", &self.connections, orAbsent: 0)
        try visitor.field("slow", &self.slow, orAbsent: 0)
        try visitor.field("busy", &self.busy, orAbsent: 0)
        try visitor.field("publishes", &self.publishes, orAbsent: 0)
        try visitor.field("deliveries", &self.deliveries, orAbsent: 0)
        try visitor.field("published_bytes", &self.publishedBytes, orAbsent: 0)
        try visitor.field("delivered_bytes", &self.deliveredBytes, orAbsent: 0)
        try visitor.field("errors", &self.errors, orAbsent: 0)
        try visitor.field("slowest", &self.slowest, orAbsent: [])
        try visitor.field("busiest", &self.busiest, orAbsent: [])
        try visitor.field("busiest_addresses", &self.busiestAddresses, orAbsent: [])
        try visitor.field("busiest_rooms", &self.busiestRooms, orAbsent: [])
        try self.process.fields(&visitor)
        try visitor.field("channels", &self.channels)
    }

    mutating func add(_ other: NodeStatistics) {
        self.connections &+= other.connections
        self.slow &+= other.slow
        self.busy &+= other.busy
        self.publishes &+= other.publishes
        self.deliveries &+= other.deliveries
        self.publishedBytes &+= other.publishedBytes
        self.deliveredBytes &+= other.deliveredBytes
        self.errors &+= other.errors
        self.channels.merge(other.channels, uniquingKeysWith: &+)
        Self.merge(&self.slowest, other.slowest, by: \.lag)
        Self.merge(&self.busiest, other.busiest, by: \.loopPercent)
        Self.merge(&self.busiestAddresses, other.busiestAddresses, by: \.loopPercent, once: { [$0.address] })
        Self.merge(&self.busiestRooms, other.busiestRooms, by: \.loopPercent, once: { [$0.channel, $0.room] })
    }

    /// - Parameter identity: what two nodes have the same of; of those that are the same the worse stays.
    private static func merge<Entry>(
        _ entries: inout [Entry],
        _ others: [Entry],
        by measure: (Entry) -> Int,
        once identity: ((Entry) -> [String])? = nil
    ) {
        var worst = (entries + others).sorted { measure($0) > measure($1) }
        var seen: Set<[String]> = []
        if let identity { worst = worst.filter { seen.insert(identity($0)).inserted } }
        entries = Array(worst.prefix(Self.named))
    }
}

/// The process of a node.
struct NodeProcess: AdminDocument, Equatable {
    var version: String?
    var uptimeSeconds: Double?
    var cpuSeconds: Double?
    var residentBytes: UInt64?

    init() {}

    init(placeholder: ()) {}

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.nullable("version", &self.version)
        try visitor.nullable("uptime_seconds", &self.uptimeSeconds)
        try visitor.nullable("cpu_seconds", &self.cpuSeconds)
        try visitor.nullable("resident_bytes", &self.residentBytes)
    }
}

extension AdminStatistics.Node {
    /// - Parameter statistics: `nil` where the node does not answer.
    init(_ view: NodeView, isThis: Bool, _ statistics: NodeStatistics?) {
        self.init(placeholder: ())
        (self.node, self.host, self.this) = (Int(view.number.rawValue), view.host, isThis)
        self.connections = statistics.map { Int(clamping: $0.connections) }
        self.deliveries = statistics.map { Int(clamping: $0.deliveries) }
        (self.version, self.uptimeSeconds) = (statistics?.process.version, statistics?.process.uptimeSeconds)
        (self.cpuSeconds, self.residentBytes) = (statistics?.process.cpuSeconds, statistics?.process.residentBytes)
    }
}
