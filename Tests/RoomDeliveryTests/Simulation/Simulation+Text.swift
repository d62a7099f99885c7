import RoomTestKit

/// Plain-text clients in the lobby of a simulated run.
extension Simulation {
    mutating func text() {
        guard let client = self.textClients.randomElement(using: &self.random) else { return }
        switch self.random.below(10) {
        case 0..<3:
            self.ledger.note("\(client.name) comes")
            client.comeIn(self.anyNode(), shard: self.random.below(self.plan.shards))
        case 3..<8:
            self.published += 1
            self.ledger.note("\(client.name) says m\(self.published)")
            client.say("m\(self.published)", echoes: self.random.chance(50))
        case 8:
            self.ledger.note("\(client.name) stops reading")
            client.connection?.stopReading(after: self.random.below(500))
        default: self.random.chance(50) ? client.drop() : client.connection?.readOn()
        }
    }

    /// Nobody has seen the messages in another order than that of the log.
    func finishText() {
        for client in self.textClients {
            client.connection?.readOn()
            client.read()
            client.checkOrder()
        }
    }
}
