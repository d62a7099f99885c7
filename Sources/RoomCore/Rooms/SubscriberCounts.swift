/// How many subscribers a room has on each shard of each node, and of each wire format.
package struct SubscriberCounts: Equatable, Sendable {
    /// Of a broker that is in no cluster.
    private var byShard: [Int] = []
    /// The counts of the nodes that have some, by shard.
    private var byNode: [NodeNumber: [Int]] = [:]
    private var byFormat = [Int](repeating: 0, count: WireFormat.allCases.count)
    package private(set) var total = 0
    /// Those who get each entry in a write of its own.
    package private(set) var writtenOneByOne = 0
    /// Those who have asked to be shown the members.
    private(set) var asking = 0
    /// Those that somebody has.
    package private(set) var formats = WireFormats()

    package init() {}

    package subscript(shard: Int, of node: NodeNumber) -> Int {
        let counts = node == .alone ? self.byShard : self.byNode[node] ?? []
        return shard < counts.count ? counts[shard] : 0
    }

    mutating func add(_ connection: ConnectionRef, _ format: WireFormat, asks: Bool = false) {
        self.asksChanged(from: false, to: asks)
        if connection.node == .alone {
            Self.add(connection.shard, to: &self.byShard)
        } else {
            Self.add(connection.shard, to: &self.byNode[connection.node, default: []])
        }
        self.byFormat[format.rawValue] += 1
        self.total += 1
        if format.writesEntriesOneByOne { self.writtenOneByOne += 1 }
        self.formats.insert(format)
    }

    private static func add(_ shard: Int, to counts: inout [Int]) {
        while counts.count <= shard { counts.append(0) }
        counts[shard] += 1
    }

    /// The same counts are equal, whoever was there before.
    private static func remove(_ shard: Int, from counts: inout [Int]) {
        counts[shard] -= 1
        while counts.last == 0 { counts.removeLast() }
    }

    /// A subscriber asks to be shown the members, or no more.
    mutating func asksChanged(from before: Bool, to now: Bool) {
        if before != now { self.asking += now ? 1 : -1 }
    }

    mutating func remove(_ connection: ConnectionRef, _ format: WireFormat, asks: Bool = false) {
        self.asksChanged(from: asks, to: false)
        if connection.node == .alone {
            Self.remove(connection.shard, from: &self.byShard)
        } else {
            Self.remove(connection.shard, from: &self.byNode[connection.node, default: []])
            // a node that starts again has another number
            if self.byNode[connection.node]?.isEmpty ?? false { self.byNode[connection.node] = nil }
        }
        self.byFormat[format.rawValue] -= 1
        self.total -= 1
        if format.writesEntriesOneByOne { self.writtenOneByOne -= 1 }
        if self.byFormat[format.rawValue] == 0 { self.formats.remove(format) }
    }
}
