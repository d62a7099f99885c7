import NIOCore
package import RoomCore

/// Decides which records of a partition count, and what time it is there: from the log alone, so that all nodes decide alike.
///
/// A record counts if its number is the next one of its node. A repeat is ignored, and so is a record behind a missing one: its
/// sender sends it again (`RecordSender`). Nothing of a node counts any more once a record has said that it is gone.
package struct AcceptedRecords: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case counts
        /// It counts, and is the first one to say that this node is gone.
        case ends(NodeNumber)
        /// It has no effect.
        case ignored
    }

    /// The place of the newest record, whether it counted or not.
    package private(set) var place: LogOffset?
    package private(set) var time = PartitionTime()
    /// The newest record of each node that has counted.
    private var numbers: [NodeNumber: UInt64] = [:]
    /// They are kept for ever: a copy of a record may come at any time, and no later life has the number.
    private var gone: Set<NodeNumber> = []

    package init() {}

    /// - Parameters:
    ///   - place: behind that of the record before.
    ///   - time: when the log took it, in Unix milliseconds.
    mutating func take(_ record: PartitionRecord, at place: LogOffset, time: Int64) -> Outcome {
        self.place = place
        guard record.number == self.nextNumber(of: record.node) else { return .ignored }
        self.numbers[record.node] = record.number
        self.time.advance(to: time)
        guard case .gone(let node) = record.content, self.gone.insert(node).inserted else { return .counts }
        self.numbers[node] = nil
        return .ends(node)
    }

    /// The nodes that have appended something and are not gone.
    var nodes: some Collection<NodeNumber> { self.numbers.keys }

    /// The number of the record of this node that would count; `nil`: the node is gone.
    func nextNumber(of node: NodeNumber) -> UInt64? {
        self.gone.contains(node) ? nil : self.numbers[node, default: 0] + 1
    }
}

/// The time of a partition: that which the log has noted for the records that count, but it never goes back.
package struct PartitionTime: Equatable, Sendable {
    /// Unix milliseconds.
    package private(set) var milliseconds: Int64 = 0
    /// Goes on evenly (`RoomTurn.steadyMilliseconds`): a log whose clock is set ahead moves it on by a step at most.
    package private(set) var steadyMilliseconds: Int64 = 0
    /// That of the newest record; `nil`: there was none.
    private var latest: Int64?

    var steadySecond: UInt32 { SteadyClock.seconds(self.steadyMilliseconds) }

    private static let longestStep: Int64 = 15_000
    /// As many bits as an id has for it.
    private static let bounds: ClosedRange<Int64> = 0...(1 << 48 - 1)

    mutating func advance(to milliseconds: Int64) {
        let now = min(max(milliseconds, Self.bounds.lowerBound), Self.bounds.upperBound)
        let steady =
            if let latest { self.steadyMilliseconds + min(max(now - latest, 0), Self.longestStep) } else { now }
        self.steadyMilliseconds = min(steady, Self.bounds.upperBound)
        self.latest = now
        self.milliseconds = max(self.milliseconds, now)
    }
}

// MARK: As bytes

/// The part of a partition's snapshot that says which records count behind it.
///
///     place | time | nodes: how many, the number of each, and of its newest record | gone: how many, and which
///
/// Nodes are in the order of their numbers, so a value has one encoding only.
extension AcceptedRecords {
    func write(to writer: inout RecordWriter) {
        // places begin with 1
        writer.write(self.place?.rawValue ?? 0)
        self.time.write(to: &writer)
        writer.write(count: self.numbers.count)
        for (node, number) in self.numbers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.write(node.rawValue)
            writer.write(number)
        }
        writer.write(count: self.gone.count)
        for node in self.gone.map(\.rawValue).sorted() { writer.write(node) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        let place = try reader.count("place")
        self.place = place == 0 ? nil : LogOffset(rawValue: UInt64(place))
        self.time = try PartitionTime(from: &reader)
        var last: NodeNumber?
        // each takes two bytes at least, so no more of them are believed than there are bytes
        for _ in 0..<(try reader.count("number of nodes", of: UInt64(reader.left))) {
            let node = try Self.node("node", behind: last, from: &reader)
            let number = try reader.number("number of a node's record")
            guard number > 0 else { throw reader.error("number of a node's record", .invalid("the first number is 1")) }
            guard number < .max else { throw reader.error("number of a node's record", .invalid("none can follow")) }
            self.numbers[node] = number
            last = node
        }
        last = nil
        for _ in 0..<(try reader.count("number of gone nodes", of: UInt64(reader.left))) {
            let node = try Self.node("gone node", behind: last, from: &reader)
            guard self.numbers[node] == nil else { throw reader.error("gone node", .invalid("its records count")) }
            self.gone.insert(node)
            last = node
        }
    }

    private static func node(
        _ part: StaticString,
        behind last: NodeNumber?,
        from reader: inout RecordReader
    ) throws(RecordError) -> NodeNumber {
        let node: NodeNumber = try reader.read(part)
        guard last.map({ $0.rawValue < node.rawValue }) ?? true else {
            throw reader.error(part, .invalid("not in ascending order"))
        }
        return node
    }
}

extension PartitionTime {
    fileprivate func write(to writer: inout RecordWriter) {
        writer.write(flags: self.latest != nil)
        guard let latest else { return }
        writer.write(UInt64(bitPattern: self.milliseconds))
        writer.write(UInt64(bitPattern: self.steadyMilliseconds))
        writer.write(UInt64(bitPattern: latest))
    }

    fileprivate init(from reader: inout RecordReader) throws(RecordError) {
        guard try reader.flags("flags of the time", 1)[0] else { return }
        self.milliseconds = try reader.time("time")
        self.steadyMilliseconds = try reader.time("steady time")
        let latest = try reader.time("time of the newest record")
        guard latest <= self.milliseconds else {
            throw reader.error("time of the newest record", .invalid("behind the time of the partition"))
        }
        self.latest = latest
    }
}
