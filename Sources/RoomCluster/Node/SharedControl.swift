import Dispatch
import Foundation
import Logging
import NIOCore
package import RoomCore
import RoomModel
import RoomStore

/// The control file of a node of a cluster. A change is a record of the control stream; every node makes it in its own file, in the
/// order of the stream, and has it in effect; then it is answered.
///
/// Calls block, as those of `ControlStore` do.
package final class SharedControl: Sendable {
    let store: ControlStore
    private let node: NodeNumber
    private let log: any PartitionLog
    private let name: String
    private let logger: Logger
    /// Makes the changes, one after the other.
    private let queue = DispatchQueue(label: "roomline.shared-control")
    /// One change of this node is under way at a time.
    private let turn = NSLock()
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private nonisolated(unsafe) var state = State()
    private let changes: AsyncStream<(LogOffset, ControlChange)>
    private let changed: AsyncStream<(LogOffset, ControlChange)>.Continuation
    /// Told when the stream cannot be followed any more.
    private let failed: @Sendable (String) -> Void

    private struct State {
        /// Through here everything is made.
        var made: UInt64 = 0
        /// Through here everything is in effect.
        var inEffect: UInt64 = 0
        /// Changes are kept to be put in effect: whoever reads the file at the start may not see them.
        var isCollecting = false
        /// Of the changes that this node has wanted.
        var newest: UInt64 = 0
        /// Changes are put in effect: from the end of the start on.
        var isServing = false
        var outcome: (place: UInt64, Result<ControlChange.Outcome, ChannelDirectoryError>)?
        var isOver = false
        /// Why the stream cannot be followed.
        var failure: String?
    }

    private static let tryAgain = 1.0
    /// A change that has not come back after that is answered.
    private static let longestWait = 15.0
    /// So long other nodes may take to have it in effect: one that cannot write its disk holds up nobody for longer. One whose server is cut off
    /// from the stream's leader finds another one in a few seconds.
    private static let longestDelay = 10.0

    init(
        _ store: ControlStore,
        _ log: any PartitionLog,
        of name: String,
        node: NodeNumber,
        logger: Logger,
        failed: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.log = log
        self.name = name
        self.node = node
        self.logger = logger
        self.failed = failed
        (self.changes, self.changed) = AsyncStream.makeStream()
    }

    // MARK: Following

    /// Follows the stream, and waits until the file has everything that was in it before this node began.
    func follow() async throws(ChannelDirectoryError) {
        let newest = try self.store.follow(self.name)
        self.log.follow(from: newest?.place.next ?? .first, reaching: newest) { event in
            self.queue.async { self.take(event) }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.wait(for: nil) { $0.made >= UInt64(self.node.rawValue) || $0.isOver }
                self.update { state in
                    state.inEffect = state.made
                    state.isCollecting = true
                }
                continuation.resume()
            }
        }
        if let failure = self.condition.withLock({ self.state.failure }) {
            throw ChannelDirectoryError(.unavailable, text: failure)
        }
    }

    func close() {
        self.log.close()
        self.changed.finish()
        self.update { $0.isOver = true }
    }

    /// The place through which all changes are in effect here.
    var inEffect: UInt64 { self.condition.withLock { self.state.inEffect } }

    /// The place through which all changes are made here.
    var made: UInt64 { self.condition.withLock { self.state.made } }

    /// Has all changes from the end of `follow` on put in effect, in their order, until the task is cancelled.
    ///
    /// - Parameter completion: called after each.
    package func putInEffect(
        _ effect: @Sendable (ControlChange) async -> Void,
        completion: @Sendable () async -> Void
    ) async {
        self.update { $0.isServing = true }
        for await (place, change) in self.changes {
            await effect(change)
            self.update { $0.inEffect = place.rawValue }
            await completion()
        }
    }

    private func take(_ event: PartitionLogEvent) {
        switch event {
        case .connected, .disconnected: break
        case .lost:
            self.fail("the cluster's control stream has lost its beginning: start this node with another node's backup")
        case .behind(let last):
            self.fail(
                "the cluster's control stream ends with record \(last.rawValue) now, before what this node has made: its nats-servers have lost "
                    + "some of it. See the run book in docs/cluster.md (roomline cluster begin --lost-log)"
            )
        case .differs(let place):
            self.fail(
                "the cluster's control stream has another record \(place.rawValue) than this node has made: its nats-servers have lost the end of "
                    + "it. See the run book in docs/cluster.md"
            )
        case .record(let place, let time, let bytes):
            guard let record = bytes.flatMap(ControlRecord.init) else {
                return self.fail(
                    "record \(place.rawValue) of the cluster's control stream cannot be read: perhaps a newer version has written it"
                )
            }
            self.take(record, at: place, time)
        }
    }

    private func take(_ record: ControlRecord, at place: LogOffset, _ time: Int64) {
        guard case .change(let change, let node, let number) = record else {
            return self.made(.none, at: place)
        }
        while !self.condition.withLock({ self.state.isOver }) {
            do throws(ChannelDirectoryError) {
                let outcome = try self.store.make(change, number, of: node, at: place, time: time)
                if let outcome, node == self.node {
                    self.update { state in
                        if number == state.newest { state.outcome = (place.rawValue, outcome) }
                    }
                }
                return self.made(change, at: place)
            } catch {
                self.logger.error(
                    "a change of the cluster cannot be stored; it is tried again",
                    metadata: ["error": "\(error.text)", "place": "\(place.rawValue)"]
                )
                Thread.sleep(forTimeInterval: Self.tryAgain)
            }
        }
    }

    private func made(_ change: ControlChange, at place: LogOffset) {
        let isCollecting = self.update { state in
            state.made = place.rawValue
            return state.isCollecting
        }
        if isCollecting { self.changed.yield((place, change)) }
    }

    private func fail(_ text: String) {
        self.update { state in
            state.isOver = true
            state.failure = text
        }
        self.failed(text)
    }

    // MARK: Changes

    /// Has all nodes make a change.
    ///
    /// - Parameter lags: whether a node that lives has not put a place in effect yet.
    func make(
        _ change: ControlChange,
        lags: (UInt64) -> Bool
    ) throws(ChannelDirectoryError) -> ControlChange.Outcome {
        self.turn.lock()
        defer { self.turn.unlock() }
        let number = self.update { state in
            state.newest += 1
            state.outcome = nil
            return state.newest
        }
        let bytes = ControlRecord.change(change, by: self.node, number: number).bytes
        let end = Date(timeIntervalSinceNow: Self.longestWait)
        while Date() < end, !self.condition.withLock({ self.state.isOver }) {
            self.log.append(bytes)
            self.wait(for: Self.tryAgain) { $0.outcome != nil || $0.isOver }
            guard let (place, outcome) = self.condition.withLock({ self.state.outcome }) else {
                self.log.doubt()
                continue
            }
            self.wait(for: Self.longestDelay) { state in
                (state.inEffect >= place || !state.isServing) && !lags(place) || state.isOver
            }
            if lags(place) {
                self.logger.warning("a node of the cluster is late with a change", metadata: ["place": "\(place)"])
            }
            return try outcome.get()
        }
        throw ChannelDirectoryError(
            .unavailable,
            text: """
                the cluster's control stream does not answer: it is not known whether the change is made. Look, and try again.
                """
        )
    }

    /// Another node has told how far it is.
    func heard() { self.condition.withLock { self.condition.broadcast() } }

    /// - Parameter seconds: the longest wait; `nil`: any.
    private func wait(for seconds: TimeInterval?, _ isWanted: (State) -> Bool) {
        let end = seconds.map { Date(timeIntervalSinceNow: $0) }
        self.condition.withLock {
            while !isWanted(self.state) {
                if let end {
                    guard self.condition.wait(until: end) else { return }
                } else {
                    self.condition.wait()
                }
            }
        }
    }

    @discardableResult
    private func update<Value>(_ change: (inout State) -> Value) -> Value {
        self.condition.withLock {
            defer { self.condition.broadcast() }
            return change(&self.state)
        }
    }
}
