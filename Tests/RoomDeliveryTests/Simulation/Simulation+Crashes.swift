import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Brokers of a simulated run that die, alone or with their machine, and what has to be there afterwards.
extension Simulation {
    mutating func crash() {
        let crash = self.draw.chance(50, "process only") ? MemoryEngine.Crash.ofProcess : .ofMachine
        self.ledger.note("the broker dies: a crash \(crash)")
        for client in self.clients where client.connection != nil {
            if self.draw.chance(30, "reads") { client.read() }
            client.disconnected()
        }
        for one in self.imports {
            one.stop()
            one.watcher.disconnected()
        }
        for client in self.textClients { client.ended() }
        let before = self.broker.engine
        let (engine, lost) = self.draw.draws("lost") { before.crash(crash, using: &$0) }
        for (room, messages) in lost.messages {
            let durability = self.channels.first { $0.id == room.channel }?.durability
            self.ledger.check(durability == .process, "\(room) has lost what is to survive a power cut: \(messages)")
            self.ledger.lost(messages)
            for id in lost.redacted[room] ?? [] { self.ledger.lostRedaction(of: id.description) }
        }
        self.begin(with: engine)
        self.checkAcknowledged()
    }

    /// What was acknowledged is in its room's log, or was taken out of it for a reason.
    func checkAcknowledged() {
        guard !self.plan.hasChanges, !self.channels.contains(where: { $0.history == nil }) else { return }
        let engine = self.broker.engine
        let keys = self.channels.flatMap { settings in
            self.rooms(of: settings.id.text).map { RoomKey.make($0, channel: settings.id.text) }
        }
        let stored = Set(keys.flatMap { engine.entries(of: $0).map(\.id) })
        for (id, publisher) in self.ledger.acknowledged where !stored.contains(id) {
            self.ledger.check(engine.hasRemoved(id), "\(id) was acknowledged to \(publisher) and is gone")
        }
    }
}
