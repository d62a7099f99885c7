import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// A store that stalls, fails, and forgets.
extension Simulation {
    mutating func disturbStore() {
        if let cluster { return self.disturb(cluster) }
        switch self.random.below(self.plan.hasFaults ? 10 : 4) {
        case 0:
            self.ledger.note("the store holds")
            self.broker.engine.hold()
        case 1: self.broker.engine.releaseOne()
        case 2, 3:
            self.ledger.note("the store goes on")
            self.broker.engine.release()
        case 4: self.fail(.append, .unavailable)
        case 5: self.fail(.append, .unavailableButDone)
        case 6: self.fail(.open, .unavailable)
        case 7: self.fail(.read, .unavailable)
        case 9 where self.plan.hasCrashes: self.fail(.append, .readOnly)
        case 8: self.fail(self.random.chance(50) ? .clear : .find, .unavailable)
        default: if self.plan.mayLoseLogs { self.fail(self.random.chance(50) ? .append : .read, .reset) }
        }
    }

    /// Logs that cannot be reached, and disks that are slow or fail.
    private mutating func disturb(_ cluster: MemoryCluster) {
        let engine = self.anyNode().engine
        switch self.random.below(self.plan.hasFaults ? 8 : 4) {
        case 0:
            self.ledger.note("a disk holds")
            engine.hold()
        case 1: engine.releaseOne()
        case 2, 3:
            self.ledger.note("a disk goes on")
            engine.release()
        case 4:
            self.ledger.note("nobody reaches the logs")
            cluster.setReachable(false)
        case 5, 6:
            self.ledger.note("the logs are there")
            cluster.setReachable(true)
        default:
            let call = [MemoryEngine.Call.store, .read, .find].randomElement(using: &self.random) ?? .store
            self.ledger.note("the next \(call) of a node fails")
            engine.failNext(call, .unavailable)
        }
    }

    private func fail(_ call: MemoryEngine.Call, _ fault: MemoryEngine.Fault) {
        self.ledger.note("the next \(call) fails: \(fault)")
        self.broker.engine.failNext(call, fault)
    }
}
