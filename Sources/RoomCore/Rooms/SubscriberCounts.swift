/// How many subscribers a room has on each shard, and of each wire format.
package struct SubscriberCounts: Equatable, Sendable {
    private var byShard: [Int] = []
    private var byFormat = [Int](repeating: 0, count: WireFormat.allCases.count)
    package private(set) var total = 0
    /// Those who get each entry in a write of its own.
    package private(set) var writtenOneByOne = 0
    /// Those that somebody has.
    package private(set) var formats = WireFormats()

    package init() {}

    package subscript(shard: Int) -> Int { shard < self.byShard.count ? self.byShard[shard] : 0 }

    mutating func add(_ connection: ConnectionRef, _ format: WireFormat) {
        while self.byShard.count <= connection.shard { self.byShard.append(0) }
        self.byShard[connection.shard] += 1
        self.byFormat[format.rawValue] += 1
        self.total += 1
        if format.writesEntriesOneByOne { self.writtenOneByOne += 1 }
        self.formats.insert(format)
    }

    mutating func remove(_ connection: ConnectionRef, _ format: WireFormat) {
        self.byShard[connection.shard] -= 1
        self.byFormat[format.rawValue] -= 1
        self.total -= 1
        if format.writesEntriesOneByOne { self.writtenOneByOne -= 1 }
        if self.byFormat[format.rawValue] == 0 { self.formats.remove(format) }
    }
}
