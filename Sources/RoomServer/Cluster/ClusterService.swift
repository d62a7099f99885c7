import Logging
import RoomCluster
import RoomCore
import ServiceLifecycle

/// Once a second: tells the cluster that this node lives, and the operator what its partitions are like where that has changed. Ends
/// the broker when a partition cannot be followed any more.
struct ClusterService: Service {
    let node: ClusterNode
    /// Has this node go by a change of the control file.
    let effect: @Sendable (ControlChange) async -> Void
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    guard let failure = await self.node.untilFailed() else { return }
                    throw StartError("this node cannot go on: \(failure)")
                }
                group.addTask { await self.beat() }
                if self.node.monitoring.isNamed { group.addTask { await self.watchSyncs() } }
                group.addTask { await self.node.control.putInEffect(self.effect) { self.node.tell() } }
                // the first to end is the one that fails, or both are cancelled
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func beat() async {
        var (before, wasProven) = (self.node.summary, true)
        repeat {
            self.node.beat()
            let (now, isProven) = (self.node.summary, self.node.isProven)
            if now != before { self.tell(now) }
            if isProven != wasProven { self.tell(isProven: isProven) }
            (before, wasProven) = (now, isProven)
        } while (try? await Task.sleep(for: .seconds(1))) != nil  // throws when cancelled
    }

    /// A server may be started again with other settings.
    private func watchSyncs() async {
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            switch await self.node.askSyncs() {
            case nil, .unknown: continue
            case .always: self.logger.notice("all nats-servers sync what they acknowledge")
            case .notAlways(let reason):
                self.logger.warning(
                    "not all nats-servers are known to sync what they acknowledge",
                    metadata: ["reason": "\(reason)"]
                )
            }
        }
    }

    private func tell(isProven: Bool) {
        if isProven {
            self.logger.notice("this node hears from its cluster again: clients are served")
        } else {
            self.logger.warning(
                "this node does not hear from its cluster: clients wait, and are sent away in five seconds"
            )
        }
    }

    private func tell(_ summary: PartitionStates.Summary) {
        guard !summary.areAllReady else { return self.logger.notice("all partitions are ready again") }
        self.logger.warning(
            "not all partitions are ready",
            metadata: [
                "ready": "\(summary.ready)/\(summary.partitions)", "catching_up": "\(summary.catchingUp)",
                "disconnected": "\(summary.disconnected)", "failing": "\(summary.failing)",
            ]
        )
    }
}
