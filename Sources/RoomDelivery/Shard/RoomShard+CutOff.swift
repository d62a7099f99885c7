import NIOCore
import RoomCore
import RoomModel

/// A node that is cut off serves nobody, and goes on by itself.
extension RoomShard {
    /// Whether what the connection asks has to wait; it is told when it can go on. A connection that has to go is told so.
    func holds(_ connection: Connection) -> Bool {
        guard let proof, !proof.holds(now: self.now.uptimeNanoseconds) else { return false }
        guard !self.cutOff.isComplete else {
            connection.sendAway()
            return false
        }
        self.cutOff.waits(connection.ref.number)
        return true
    }

    /// Begins to look for the proof.
    package func watchProof() {
        self.cutOffTask = self.eventLoop.scheduleTask(in: CutOff.interval) { [ref = self.ref] in
            let shard = ref.onLoop
            shard.lookForProof()
            shard.watchProof()
        }
    }

    /// Looks for it no more.
    package func endWatch() { self.cutOffTask?.cancel() }

    private func lookForProof() {
        let isProven = self.proof?.holds(now: self.now.uptimeNanoseconds) ?? true
        switch self.cutOff.look(isProven: isProven) {
        case .nothing: break
        case .goOn(let numbers): for number in numbers { self.connections[number]?.onEvent?(.ready) }
        case .sendAway:
            self.forEach(self.connections.numbers[...], by: 64) {
                $0.sendAway()
            } done: { _ in
            }
        }
    }
}

extension Connection {
    /// The node does not know what the cluster has agreed on: another one may.
    func sendAway() {
        self.goodbye(
            .shuttingDown,
            reason: "this node does not hear from its cluster; connect again, to another node if you can"
        )
    }
}
