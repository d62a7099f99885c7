import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

/// The part of the statistics that each node has for itself, and the sum of several.
struct NodeStatistics: Equatable {
    /// Names as in the document, each with its value.
    private(set) var sums: [String: UInt64]
    private(set) var lists: [List: [JSONTree]]
    /// Of each channel that has some.
    private(set) var connections: [String: UInt64]
    private(set) var process: [JSONTree.Field]

    /// As many as somebody can look after.
    static let named = 10

    /// A list of the worst, the worst first.
    enum List: String, CaseIterable {
        case slowest, busiest
        case addresses = "busiest_addresses"
        case rooms = "busiest_rooms"

        /// What makes one worse than another.
        fileprivate var measure: String { self == .slowest ? "lag" : "loop_percent" }

        /// What two nodes have the same of.
        fileprivate var identity: [String] {
            switch self {
            case .slowest, .busiest: []
            case .addresses: ["address"]
            case .rooms: ["channel", "room"]
            }
        }
    }

    private static let sumNames = [
        "connections", "slow", "busy", "publishes", "deliveries", "published_bytes", "delivered_bytes", "errors",
    ]
    private static let processNames = ["version", "uptime_seconds", "cpu_seconds", "resident_bytes"]

    init(
        _ statistics: BrokerStatistics,
        _ slow: SlowMembers,
        _ busy: BusyConnections,
        process: [JSONTree.Field]
    ) {
        self.sums = [
            "connections": UInt64(statistics.connections), "slow": UInt64(slow.count), "busy": UInt64(busy.count),
            "publishes": UInt64(statistics.publishes), "published_bytes": UInt64(statistics.publishedBytes),
            "deliveries": UInt64(statistics.deliveries), "delivered_bytes": UInt64(statistics.deliveredBytes),
            "errors": UInt64(statistics.errors),
        ]
        self.lists = [
            .slowest: slow.furthest.map(RoomDocument.tree), .busiest: busy.busiest.map(RoomDocument.tree),
            .addresses: busy.addresses.map(RoomDocument.tree), .rooms: busy.rooms.map(RoomDocument.tree),
        ]
        let channels = statistics.channels.filter { $0.connections > 0 }
        self.connections = Dictionary(channels.map { ($0.id.text, UInt64($0.connections)) }) { $1 }
        self.process = process.filter { Self.processNames.contains($0.name) }
    }

    /// `nil`: it is none that this version knows.
    init?(_ tree: JSONTree) {
        guard case .object(let channels)? = tree["channels"] else { return nil }
        self.sums = [:]
        for name in Self.sumNames { self.sums[name] = tree[name]?.numberValue ?? 0 }
        self.lists = [:]
        for list in List.allCases {
            if case .array(let entries)? = tree[list.rawValue] { self.lists[list] = entries }
        }
        self.connections = Dictionary(channels.map { ($0.name, $0.value.numberValue ?? 0) }) { $1 }
        self.process = Self.processNames.map { JSONTree.Field($0, tree[$0] ?? .null) }
    }

    /// For another node.
    var tree: JSONTree {
        let channels = self.connections.sorted { $0.key < $1.key }.map { JSONTree.Field($0.key, .integer($0.value)) }
        return .object(
            Self.sumNames.map(self.sum) + List.allCases.map(self.list) + self.process + [
                .init("channels", .object(channels))
            ]
        )
    }

    func sum(_ name: String) -> JSONTree.Field { JSONTree.Field(name, .integer(self.sums[name, default: 0])) }

    func list(_ list: List) -> JSONTree.Field { JSONTree.Field(list.rawValue, .array(self.lists[list, default: []])) }

    /// What is told of one node.
    ///
    /// - Parameter node: `nil` where it does not answer.
    static func tree(_ view: NodeView, isThis: Bool, _ node: NodeStatistics?) -> JSONTree {
        let sums = ["connections", "deliveries"].map { name in
            JSONTree.Field(name, .optional(node?.sums[name]) { .integer($0) })
        }
        let process = node?.process ?? Self.processNames.map { JSONTree.Field($0, .null) }
        return .object(
            [
                .init("node", .integer(view.number.rawValue)), .init("host", .string(view.host)),
                .init("this", .bool(isThis)),
            ] + sums + process
        )
    }

    mutating func add(_ other: NodeStatistics) {
        self.sums.merge(other.sums, uniquingKeysWith: &+)
        self.connections.merge(other.connections, uniquingKeysWith: &+)
        for list in List.allCases {
            let worst = (self.lists[list, default: []] + other.lists[list, default: []])
                .sorted { ($0[list.measure]?.numberValue ?? 0) > ($1[list.measure]?.numberValue ?? 0) }
            self.lists[list] = Array(Self.once(worst, by: list.identity).prefix(Self.named))
        }
    }

    /// Of those that are the same, the first.
    private static func once(_ entries: [JSONTree], by names: [String]) -> [JSONTree] {
        guard !names.isEmpty else { return entries }
        var seen: Set<String> = []
        return entries.filter { entry in
            seen.insert(names.map { entry[$0]?.stringValue ?? "" }.joined(separator: "\n")).inserted
        }
    }
}
