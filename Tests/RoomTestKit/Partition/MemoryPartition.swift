import NIOConcurrencyHelpers
import NIOCore
package import RoomCore

/// A partition's log in memory, which any number of nodes append to and follow: each through a `MemoryPartitionLog`.
package final class MemoryPartition: Sendable {
    private struct State {
        var records: [Record] = []
        /// How many of them the log has no more at its beginning.
        var trimmed = 0
        var followers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isReachable = true
        var losesAppends = false
        var doubts = 0
    }

    private struct Record {
        var time: Int64
        var bytes: ByteBuffer?
    }

    /// What a follower is told next.
    enum Next {
        case record(LogOffset, time: Int64, bytes: ByteBuffer?)
        case lost(first: LogOffset)
        /// Nothing, until it is called.
        case none
    }

    private let state = NIOLockedValueBox(State())
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: Unix milliseconds.
    package init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

    // MARK: What tests do

    /// Erases the bytes of a record; its place stays.
    package func erase(_ place: LogOffset) {
        self.state.withLockedValue { $0.records[Int(place.rawValue) - 1].bytes = nil }
    }

    /// Removes all that is before `first`.
    package func trim(to first: LogOffset) {
        self.state.withLockedValue { $0.trimmed = Int(first.rawValue) - 1 }
        self.changed()
    }

    /// Appends are lost, and nobody is told anything, until it is reachable again.
    package func setReachable(_ isReachable: Bool) {
        self.state.withLockedValue { $0.isReachable = isReachable }
        self.changed()
    }

    /// Appends are lost, although the log seems to be there.
    package func losesAppends(_ losesAppends: Bool) {
        self.state.withLockedValue { $0.losesAppends = losesAppends }
    }

    /// How many records it has, or has had.
    var count: Int { self.state.withLockedValue { $0.records.count } }

    /// How often followers were in doubt whether it stands still.
    package var doubts: Int { self.state.withLockedValue(\.doubts) }

    // MARK: For the logs of the nodes

    func doubt() { self.state.withLockedValue { $0.doubts += 1 } }

    var isReachable: Bool { self.state.withLockedValue { $0.isReachable } }

    func append(_ bytes: ByteBuffer) {
        let time = self.clock()
        self.state.withLockedValue { state in
            guard state.isReachable, !state.losesAppends else { return }
            state.records.append(Record(time: time, bytes: bytes))
        }
        self.changed()
    }

    func next(_ place: LogOffset) -> Next {
        self.state.withLockedValue { state in
            let index = Int(place.rawValue) - 1
            guard state.isReachable else { return .none }
            guard index >= state.trimmed else { return .lost(first: LogOffset(rawValue: UInt64(state.trimmed) + 1)) }
            guard index < state.records.count else { return .none }
            return .record(place, time: state.records[index].time, bytes: state.records[index].bytes)
        }
    }

    func add(_ follower: AnyObject, _ call: @escaping @Sendable () -> Void) {
        self.state.withLockedValue { $0.followers[ObjectIdentifier(follower)] = call }
        call()
    }

    func remove(_ follower: AnyObject) {
        self.state.withLockedValue { $0.followers[ObjectIdentifier(follower)] = nil }
    }

    private func changed() {
        for call in self.state.withLockedValue({ Array($0.followers.values) }) { call() }
    }
}
