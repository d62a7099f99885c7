import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// A store that stalls, fails, and forgets.
extension Simulation {
    mutating func disturbStore() {
        if let cluster { return self.disturb(cluster) }
        switch self.draw.case("store", below: self.plan.hasFaults ? 10 : 4, self.disturbance) {
        case .holds:
            self.ledger.note("the store holds")
            self.broker.engine.hold()
        case .goesOnOnce: self.broker.engine.releaseOne()
        case .goesOn:
            self.ledger.note("the store goes on")
            self.broker.engine.release()
        case .append: self.fail(.append, .unavailable)
        case .appendButDone: self.fail(.append, .unavailableButDone)
        case .open: self.fail(.open, .unavailable)
        case .read: self.fail(.read, .unavailable)
        case .readOnly: self.fail(.append, .readOnly)
        case .clearOrFind: self.fail(self.draw.chance(50, "clear") ? .clear : .find, .unavailable)
        case .reset:
            if self.plan.mayLoseLogs { self.fail(self.draw.chance(50, "append") ? .append : .read, .reset) }
        }
    }

    private enum Disturbance: String {
        case holds, goesOnOnce, goesOn, append, appendButDone, open, read, readOnly, clearOrFind, reset
    }

    private func disturbance(_ number: Int) -> Disturbance {
        switch number {
        case 0: .holds
        case 1: .goesOnOnce
        case 2, 3: .goesOn
        case 4: .append
        case 5: .appendButDone
        case 6: .open
        case 7: .read
        case 8: .clearOrFind
        default: self.plan.hasCrashes ? .readOnly : .reset
        }
    }

    /// Logs that cannot be reached, and disks that are slow or fail.
    private mutating func disturb(_ cluster: MemoryCluster) {
        let engine = self.anyNode().engine
        switch self.draw.case("logs", below: self.plan.hasFaults ? 8 : 4, LogDisturbance.init) {
        case .holds:
            self.ledger.note("a disk holds")
            engine.hold()
        case .goesOnOnce: engine.releaseOne()
        case .goesOn:
            self.ledger.note("a disk goes on")
            engine.release()
        case .areGone:
            self.ledger.note("nobody reaches the logs")
            cluster.setReachable(false)
        case .areThere:
            self.ledger.note("the logs are there")
            cluster.setReachable(true)
        case .fails:
            let calls: [(String, MemoryEngine.Call)] = [("store", .store), ("read", .read), ("find", .find)]
            let call = self.draw.one("call", of: calls, by: \.0)?.1 ?? .store
            self.ledger.note("the next \(call) of a node fails")
            engine.failNext(call, .unavailable)
        }
    }

    private enum LogDisturbance: String {
        case holds, goesOnOnce, goesOn, areGone, areThere, fails

        init(_ number: Int) {
            self = [.holds, .goesOnOnce, .goesOn, .goesOn, .areGone, .areThere, .areThere, .fails][number]
        }
    }

    private func fail(_ call: MemoryEngine.Call, _ fault: MemoryEngine.Fault) {
        self.ledger.note("the next \(call) fails: \(fault)")
        self.broker.engine.failNext(call, fault)
    }
}
