import RoomClient
import RoomTestKit

/// What the clients of a run do.
extension ChaosRun {
    func read(
        _ client: ChaosClient,
        _ name: String,
        _ rooms: [ChaosStay: Room<String>]
    ) async throws -> [ChaosReading] {
        let epoch = rooms.first { $0.key.room == name }?.value.position?.epoch ?? ""
        let start = RoomPosition(epoch: epoch, seq: 0)
        let who = client.role.name
        switch client.role.habit {
        case .wanderer:
            return [try await ChaosReading.stays(in: name, of: client.client, by: who, from: start)]
        case .latecomer:
            await self.ledger.progress.reached(self.script.total / 2)
            let room = try await client.client.join(name, of: String.self, since: start)
            return try await self.readAll(of: room, by: who)
        case .reader:
            guard let room = rooms[ChaosStay(member: who, room: name)] else { return [] }
            return try await self.readAll(of: room, by: who)
        case .slowReader:
            guard let room = rooms[ChaosStay(member: who, room: name)] else { return [] }
            let reading = await ChaosReading.messages(of: room, by: who, every: 20) {
                await self.ledger.progress.reached(self.script.total * min($0, 5) / 5)
            }
            return [reading]
        }
    }

    /// By all ways there are, at the same time.
    private func readAll(of room: Room<String>, by name: String) async throws -> [ChaosReading] {
        async let messages = ChaosReading.messages(of: room, by: name)
        async let events = ChaosReading.events(of: room, by: name)
        async let pages = ChaosReading.pages(of: room, by: name) { count in
            await self.ledger.progress.reached(min(count + 100, self.script.total))
        }
        return try await [messages, events, pages]
    }

    // MARK: Publishing

    func publish() async {
        await withTaskGroup { group in
            for client in self.clients {
                for room in client.role.publishes {
                    for lane in 0..<self.script.lanes {
                        group.addTask { await self.publish(client, to: room, lane) }
                    }
                    group.addTask { await self.publishAndCancel(client, to: room) }
                }
            }
        }
    }

    private func publish(_ client: ChaosClient, to room: String, _ lane: Int) async {
        let name = "\(client.role.name) \(room) \(lane)"
        var random = SeededRandom(seed: name.utf8.reduce(self.seed) { $0 &* 31 &+ UInt64($1) })
        // One after the other, or several at once.
        let size = lane.isMultiple(of: 3) ? 10 : 1
        for first in stride(from: 0, to: self.script.messagesPerLane, by: size) {
            let texts = (first..<first + size).map { number in
                "\(name) \(number) \(String(repeating: "x", count: random.below(1 << random.below(12))))"
            }
            if size > 1 {
                await self.ledger.publish(together: texts, lane: name, with: client.client, to: room)
            } else {
                await self.ledger.publish(texts[0], lane: name, with: client.client, to: room)
            }
            guard first.isMultiple(of: 20) else { continue }
            // Neither has to come through, but nothing may come of them that should not.
            try? await client.client.publishEphemeral("\(name) \(first) ephemeral", to: room)
            let color = MemberColor.derived(from: "\(first)")
            try? await client.client.update(MemberProfile(name: client.role.name, color: color))
        }
    }

    /// Publishes whose outcome nobody waits for.
    private func publishAndCancel(_ client: ChaosClient, to room: String) async {
        for number in 0..<10 {
            await self.ledger.progress.reached(self.script.total * number / 10)
            let lane = "\(client.role.name) \(room) cancelled \(number)"
            let task = Task { await self.ledger.publish(lane, lane: lane, with: client.client, to: room) }
            // At once, or while it is on its way.
            let wait = number % 3
            await self.ledger.progress.reached(min(self.ledger.progress.count + wait, self.script.total))
            task.cancel()
            await task.value
        }
    }
}
