import RoomTestKit

/// Plain-text clients in the lobby of a simulated run.
extension Simulation {
    mutating func text() {
        guard let client = self.draw.one("text client", of: self.textClients, by: \.name) else { return }
        switch self.draw.case("text act", below: 10, TextAct.init) {
        case .comes:
            self.ledger.note("\(client.name) comes")
            client.comeIn(self.anyNode(), shard: self.draw.below(self.plan.shards, "text shard"))
        case .says:
            self.published += 1
            self.ledger.note("\(client.name) says m\(self.published)")
            client.say("m\(self.published)", echoes: self.draw.chance(50, "echoes"))
        case .stopsReading:
            self.ledger.note("\(client.name) stops reading")
            client.connection?.stopReading(after: self.draw.below(500, "text bytes"))
        case .goesOrReads: self.draw.chance(50, "text drops") ? client.drop() : client.connection?.readOn()
        }
    }

    private enum TextAct: String {
        case comes, says, stopsReading, goesOrReads

        init(_ number: Int) {
            self = number < 3 ? .comes : number < 8 ? .says : number < 9 ? .stopsReading : .goesOrReads
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
