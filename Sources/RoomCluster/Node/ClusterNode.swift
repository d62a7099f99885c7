import Foundation
package import Logging
package import NIOConcurrencyHelpers
package import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel
package import RoomStore

/// The broker as a node of its cluster: what its partitions are like, and which other nodes live.
package final class ClusterNode: Sendable {
    package let number: NodeNumber
    let link: any ClusterLink
    let streams: StreamSettings
    let partitions: PartitionStates
    let proof: ProofOfLife
    let others: NIOLockedValueBox<Others>
    let shards = NIOLockedValueBox<[ShardRef]>([])
    /// Tells other nodes what this one knows of its own clients.
    package let lookedAt = NIOLockedValueBox<(@Sendable (NodeQuery) async -> ByteBuffer?)?>(nil)
    private let controlLog: any PartitionLog
    let eraser: TextEraser
    private let erasing = NIOLockedValueBox<Task<Void, Never>?>(nil)
    private let sharedControl = NIOLockedValueBox<SharedControl?>(nil)
    package let monitoring: ServerMonitoring
    /// The version of the broker.
    let version: String
    private let newestSyncs = NIOLockedValueBox(ServerSyncs.unknown)
    let logger: Logger

    struct Others {
        /// The newest heartbeat of each node, and when it was heard.
        var newest: [NodeNumber: (heartbeat: NodeHeartbeat, heard: UInt64)] = [:]
        /// The nodes that the logs did not say to be gone a second ago, and when each was heard there last.
        var logged: [NodeNumber: UInt64] = [:]
        /// Those that were said to be dead, and are not yet in all logs.
        var dead: Set<NodeNumber> = []
        var isLooking = false
        var past = PastNodes()
    }

    /// Connects to the cluster's servers, and gets a number. Servers that have just been started are waited for.
    ///
    /// - Parameter loop: what is told of the control stream comes there.
    /// - Returns: `nil` where the broker runs alone.
    package static func join(
        _ settings: ClusterSettings,
        version: String,
        on loop: any EventLoop,
        logger: Logger
    ) async throws -> ClusterNode? {
        guard let access = settings.access else { return nil }
        let end = NIODeadline.now() + self.patience
        var refusals = 0
        while true {
            do throws(ClusterFailure) {
                let link = try await Self.link(access, settings.streams, logger)
                let node = try await ClusterNode(
                    link,
                    settings.serverMonitoring,
                    version: version,
                    on: loop,
                    logger: logger
                )
                _ = await node.askSyncs()
                return node
            } catch {
                if error.code == .denied { refusals += 1 }
                // on a busy machine a server that has just been started has refused the right key, seldom
                let mayPass = error.mayPass || error.code == .denied && refusals < 3
                guard mayPass, NIODeadline.now() < end else {
                    throw StartError("cannot be a node of the cluster \(settings.streams.name.text): \(error)")
                }
                logger.warning("the cluster's servers are waited for", metadata: ["reason": "\(error)"])
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static let patience = TimeAmount.seconds(30)

    private static func link(
        _ access: NATSAccess,
        _ streams: StreamSettings,
        _ logger: Logger
    ) async throws(ClusterFailure) -> any ClusterLink {
        #if Cluster
        // no other process has had it
        let incarnation = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await NATSCluster.open(access, streams, incarnation: incarnation) { server in
            logger.warning(
                "this node goes on over another nats-server, which reaches more of the logs",
                metadata: ["server": "\(server)"]
            )
        }
        #else
        throw ClusterFailure(
            .settings,
            "this roomline was built without the trait Cluster; build one with it: swift build -c release --traits"
                + " Server,Cluster --product roomline"
        )
        #endif
    }

    init(
        _ link: any ClusterLink,
        _ monitoring: ServerMonitoring,
        version: String,
        on loop: any EventLoop,
        logger: Logger
    ) async throws(ClusterFailure) {
        do throws(ClusterFailure) {
            self.number = try await link.begin(ControlRecord.node(host: Self.host, version: version).bytes)
        } catch {
            link.close()
            throw error
        }
        self.link = link
        self.monitoring = monitoring
        self.version = version
        self.controlLog = link.controlLog(on: loop)
        self.eraser = TextEraser(link: link, loop: loop, logger: logger)
        self.streams = link.settings
        self.partitions = PartitionStates(link.settings.partitions)
        self.proof = ProofOfLife(partitions: link.settings.partitions)
        self.others = NIOLockedValueBox(Others())
        self.logger = logger
    }

    static let host = ProcessInfo.processInfo.hostName

    package func environment(_ history: HistoryStore) -> ClusterEnvironment {
        ClusterEnvironment(
            partitions: self.streams.partitions,
            logName: self.streams.logName,
            beginsEmpty: self.streams.origin?.hasData != true,
            log: { [link] in link.log(of: $0, on: $1) },
            history: history,
            reader: history,
            sessions: self,
            proof: self.proof,
            canAllRead: { [weak self] in self?.node(below: $0) == nil },
            appliedElsewhere: { [weak self] in await self?.waitForOthers(toApply: $0, through: $1) },
            stateChanged: { [partitions] in partitions.changed($0, to: $1) }
        )
    }

    /// The node's history, which these shards follow.
    package func history(of shards: [ShardRef]) -> FollowedHistory {
        FollowedHistory(partitions: self.streams.partitions, shards: shards)
    }

    /// Why the cluster cannot have a channel with these settings; `nil`: it can.
    ///
    /// - Parameter stored: as it is now; what it is promised already it can keep, although a server is away.
    package func refusal(of channel: ChannelSettings, _ stored: ChannelSettings?) -> String? {
        guard channel.durability == .power, stored?.durability != .power else { return nil }
        let reason: String
        switch self.syncs {
        case .always: return nil
        case .unknown: reason = "--cluster-monitoring does not name the nats-servers' monitoring addresses"
        case .notAlways(let text): reason = text
        }
        return """
            the channel \(channel.id) has the durability power, which the cluster cannot promise: \(reason). Set sync_interval: always \
            in all nats-servers and name their monitoring addresses, or use the durability process
            """
    }

    /// As it was known some seconds ago.
    var syncs: ServerSyncs { self.newestSyncs.withLockedValue(\.self) }

    /// Asks the nats-servers how they sync.
    ///
    /// - Returns: what has changed since the last time; `nil`: nothing.
    package func askSyncs() async -> ServerSyncs? {
        let now = await self.monitoring.syncs()
        return self.newestSyncs.withLockedValue { newest in
            defer { newest = now }
            return newest == now ? nil : now
        }
    }

    // MARK: Life

    /// Has the control file follow the cluster, and waits until it has what all changed before this node began.
    package func share(_ store: ControlStore) async throws(ChannelDirectoryError) {
        let control = SharedControl(
            store,
            self.controlLog,
            of: self.streams.logName,
            node: self.number,
            logger: self.logger,
            failed: { [partitions] in partitions.fail($0) }
        )
        self.sharedControl.withLockedValue { $0 = control }
        try await control.follow()
    }

    package var control: SharedControl {
        guard let control = self.sharedControl.withLockedValue(\.self) else {
            preconditionFailure("the control file is shared before it is used")
        }
        return control
    }

    /// A node that lives has not put this change in effect yet, as far as its heartbeats have told.
    func lags(behind place: UInt64) -> Bool {
        self.others.withLockedValue { others in
            others.serving(but: self.number).contains { others.newest[$0]?.heartbeat.control ?? 0 < place }
        }
    }

    /// Follows all partitions, and waits until this node has what was in their logs before it came.
    package func follow(_ shards: [ShardRef]) async throws(StartError) {
        self.shards.withLockedValue { $0 = shards }
        self.link.listen { [weak self] in self?.heard($0) }
        self.link.serve(as: self.number) { [weak self] in self?.answer($0, $1) }
        self.logger.info(
            "catching up with the cluster",
            metadata: [
                "cluster": "\(self.streams.name.text)", "node": "\(self.number.rawValue)",
                "partitions": "\(self.streams.partitions)",
            ]
        )
        for shard in shards { shard.post { $0.followPartitions() } }
        // who catches up for long is not dead
        let beat = Task { await self.beatUntilCancelled() }
        defer { beat.cancel() }
        await self.partitions.wait { $0.areAllReady || $0.failure != nil }
        if let failure = self.partitions.summary.failure { throw StartError(failure) }
        // until now a change may have been answered without this node
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                // what does not come now is put in effect when it comes
                _ = try? self.control.make(.none) { _ in false }
                continuation.resume()
            }
        }
    }

    /// Waits until the node cannot go on; ends sooner where the task is cancelled.
    package func untilFailed() async -> String? {
        await self.partitions.wait { $0.failure != nil }
        return self.partitions.summary.failure
    }

    /// Says in all logs that this node is gone, so that nobody has to find out, and ends the connection.
    package func leave() async {
        self.erasing.withLockedValue { $0?.cancel() }
        let shards = self.shards.withLockedValue(\.self)
        for _ in 0..<Self.leaveTries where !shards.isEmpty && !self.partitions.summary.haveAllEnded {
            for shard in shards { shard.post { [number] in $0.nodeGone(number) } }
            try? await Task.sleep(for: .milliseconds(100))  // cancelled: the next try is at once
        }
        for shard in shards {
            // fails where the loop is shut down, and with it what it followed
            try? await shard.ask { $0.closePartitions() }.get()
        }
        self.sharedControl.withLockedValue(\.self)?.close()
        // nobody waits for this node any more
        self.link.beat(self.heartbeat(control: .max))
        self.link.close()
    }

    private static let leaveTries = 20

    // MARK: What it is like

    /// Clients are served. While some of the logs elect a leader they are, too: those of other nodes wait as well.
    var canServe: Bool { self.summary.canServe && self.isProven }
    /// No other node would serve clients better, as far as this one can tell.
    package var isHealthy: Bool { self.canServe && !self.partitions.standsStill }
    /// The node knows what the cluster has agreed on.
    package var isProven: Bool { self.proof.holds(now: NIODeadline.now().uptimeNanoseconds) }
    package var summary: PartitionStates.Summary { self.partitions.summary }

    // MARK: The other nodes

    private func heard(_ heartbeat: NodeHeartbeat) {
        let now = NIODeadline.now().uptimeNanoseconds
        let isNew = self.others.withLockedValue { others in
            others.past.heard(heartbeat.node, now: now)
            return others.newest.updateValue((heartbeat, now), forKey: heartbeat.node) == nil
        }
        self.control.heard()
        guard isNew, heartbeat.node != self.number, heartbeat.control < .max else { return }
        // it need not wait for the next second to hear of this one
        self.tell()
        self.askForPast(heartbeat.node)
    }

    /// What the others have to know of this node.
    package func tell() { self.link.beat(self.heartbeat(control: self.control.inEffect)) }

    func heartbeat(control: UInt64) -> NodeHeartbeat {
        NodeHeartbeat(
            node: self.number,
            host: Self.host,
            version: self.version,
            isReady: self.canServe,
            control: control
        )
    }

    private func beatUntilCancelled() async {
        repeat { self.beat() } while (try? await Task.sleep(for: .seconds(1))) != nil  // throws when cancelled
    }

    /// Tells the others that this node lives, and the logs which of the others do not. To be called once a second.
    ///
    /// It waits for no event loop: one that applies a long log is busy for longer than a node may be silent.
    package func beat() {
        self.tell()
        let isLooking = self.others.withLockedValue { others in
            defer { others.isLooking = true }
            return others.isLooking
        }
        guard !isLooking else { return }
        Task {
            await self.lookAround()
            self.others.withLockedValue { $0.isLooking = false }
        }
    }

    private func lookAround() async {
        let shards = self.shards.withLockedValue(\.self)
        var logged: [NodeNumber: UInt64] = [:]
        // a loop that is shut down knows nobody
        for shard in shards { logged.merge((try? await shard.ask { $0.nodes }.get()) ?? [:], uniquingKeysWith: max) }
        for node in self.dead(among: logged) {
            for shard in shards { shard.post { $0.nodeGone(node) } }
        }
        self.eraseTexts(shards)
    }

    /// One node at a time erases what was taken back from the logs: the oldest that lives. All others have to know of erased texts.
    private func eraseTexts(_ shards: [ShardRef]) {
        let isOldest = self.others.withLockedValue { others in
            others.serving(but: self.number).allSatisfy { $0.rawValue > self.number.rawValue }
        }
        guard isOldest, self.canServe, self.node(below: .orders) == nil else { return }
        self.erasing.withLockedValue { erasing in
            guard erasing == nil else { return }
            erasing = Task {
                await self.eraser.eraseAll(shards)
                self.erasing.withLockedValue { $0 = nil }
            }
        }
    }

    /// The nodes of which the logs have shown nothing for too long, and that nobody hears either: one that catches up for minutes writes
    /// nothing. A node that may be cut off itself says nothing of others.
    private func dead(among logged: [NodeNumber: UInt64]) -> Set<NodeNumber> {
        let now = NIODeadline.now().uptimeNanoseconds
        let isProven = self.isProven
        let (dead, news) = self.others.withLockedValue { others in
            others.logged = logged
            // one that the logs do not know yet begins just now, or has just left
            others.newest = others.newest.filter { node, last in
                // a heartbeat may have come since the clock was read
                logged[node] != nil || now - min(now, last.heard) < Others.limit
            }
            let silent = logged.filter { node, time in
                let heard = max(time, others.newest[node]?.heard ?? 0)
                return isProven && node != self.number && now - min(now, heard) >= Others.longestSilence
            }
            let dead = Set(silent.keys)
            defer { others.dead = dead }
            return (dead, dead.subtracting(others.dead).map { ($0, others.newest[$0]?.heartbeat) })
        }
        for (node, last) in news {
            self.logger.warning(
                "a node of the cluster has not been heard for half a minute: it is taken for dead",
                metadata: ["node": "\(node.rawValue)", "host": "\(last?.host ?? "unknown")"]
            )
        }
        return dead
    }
}

extension ClusterNode.Others {
    /// A node that the logs have shown nothing of for so long serves nobody (`ProofOfLife`). The log may have taken a while.
    fileprivate static let limit = ProofOfLife.limit + 1_000_000_000
    fileprivate static let longestSilence = UInt64(NodeNumber.longestSilence / .nanoseconds(1))

    /// The other nodes that may serve clients: those that the logs have shown lately, and those that begin.
    func serving(but own: NodeNumber) -> Set<NodeNumber> {
        let now = NIODeadline.now().uptimeNanoseconds
        let logged = self.logged.filter { now - min(now, $0.value) < Self.limit }.keys
        let heard = self.newest.filter { now - min(now, $0.value.heard) < Self.limit }.keys
        return Set(logged).union(heard).subtracting([own])
    }
}
