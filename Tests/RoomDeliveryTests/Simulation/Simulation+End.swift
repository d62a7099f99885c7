import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// The end of a simulated run: all becomes quiet, and everybody has to have the same.
extension Simulation {
    /// Everybody reads on, a last message goes to each room, and everybody has to end with exactly the log.
    mutating func settle(isWhole: Bool) {
        self.ledger.note("the end")
        for node in self.nodes { node.isHasty = false }
        self.broker.runAll()
        self.letEverybodyIn()
        self.stopModerating()
        self.cluster?.setReachable(true)
        for node in self.nodes {
            node.engine.forgetFaults()
            node.engine.release()
        }
        self.everybody.forEachConnected { $0.readOn() }
        self.readAll()
        self.bringNodesBack()
        for node in self.nodes { node.advance(by: .seconds(8)) }
        self.readAll()
        self.finishImports()
        for channel in Self.rooms.keys {
            let last = self.broker.connect().joined("last", channel: channel)
            for room in self.rooms(of: channel) { self.finish(channel, room, self.publishLast(room, by: last)) }
        }
        self.compareWithStores()
        self.readAnew()
        for client in self.everybody { client.finish() }
        for one in self.imports { one.check(self.broker.engine, self.ledger) }
        let limits: [Code] = [.rateLimited, .tooManyRooms, .messageTooLarge]
        let refusals: [Code] = [.storageUnavailable, .unknownChannel] + (self.plan.hasChanges ? limits : [])
        self.check(self.outside, "publishes", refusals)
        self.check(self.redactions, "redactions", refusals + [.messageNotFound])
        self.check(self.clears, "clears", refusals)
        self.finishText()
        self.checkAcknowledged()
        guard isWhole else { return }
        self.ledger.check(self.ledger.frames > self.clients.count * 5, "only \(self.ledger.frames) frames were seen")
    }

    /// A node sends again what the logs did not take, some of it after the other.
    func letLastRecordsCome() {
        guard self.plan.hasNodes else { return }
        for _ in 0..<16 {
            for node in self.nodes { node.advance(by: .milliseconds(500)) }
        }
    }

    private func check(_ requests: AskedOutside, _ name: String, _ refusals: [Code]) {
        self.ledger.check(
            requests.answers.count == requests.asked,
            "of \(requests.asked) \(name) by HTTP \(requests.answers.count) were answered"
        )
        for case let code? in requests.answers {
            self.ledger.check(refusals.contains(code), "\(name) by HTTP were refused: \(code.rawValue)")
        }
    }

    /// Whoever comes now, by whatever way, sees nothing of what was redacted.
    private func readAnew() {
        self.ledger.isQuiet = true
        for channel in Self.rooms.keys {
            for (index, way) in [",\"history_count\":30", ""].enumerated() {
                let client = SimulatedClient(
                    name: "late \(index)",
                    channel: channel,
                    address: "10.0.1.1",
                    ledger: self.ledger
                )
                client.connect((self.nodes.last ?? self.broker).connect(shard: index), resumable: false)
                for room in self.rooms(of: channel) {
                    let log = self.everybody.lazy.compactMap { $0.channel == channel ? $0.views[room]?.log : nil }.first
                    client.subscribe(
                        room,
                        options: way,
                        since: way.isEmpty ? log.map { SeenRoom(log: $0, last: 0) } : nil
                    )
                }
                self.broker.run()
                client.read()
                client.finish()
            }
        }
    }

    /// A log that is no more is found out by the first publish, which has to be sent again.
    private func publishLast(_ room: String, by client: TestConnection) -> ReceivedFrame? {
        let id = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
        let reply = client.publish(room, "\"last\"", id)
        return reply?.code == "storage_unavailable" ? client.publish(room, "\"last\"", id) : reply
    }

    private mutating func finish(_ channel: String, _ room: String, _ reply: ReceivedFrame?) {
        self.readAll()
        let members = self.everybody.filter { $0.channel == channel && $0.views[room] != nil }
        let seq = reply?.seq ?? -1
        let scope = self.channels.first { $0.id.text == channel }?.presence
        for client in members {
            let last = client.views[room]?.last
            self.ledger.check(
                last == seq,
                "\(client.name) ends with \(last ?? -1) of \(room), not \(seq), after \(client.views[room]?.recent ?? [])"
            )
            let isShown = room.hasPrefix("observable") || scope == .all || client.views[room]?.asksPresence == true
            if isShown, scope != .prefix || room.hasPrefix("observable") { client.askMembers(room) }
        }
        self.checkMembers(of: room, in: channel)
        let epochs = Set(members.compactMap { $0.views[room]?.log.epoch })
        self.ledger.check(epochs.count <= 1, "the members of \(room) end in different epochs: \(epochs)")
        self.readAll()
    }

    private func compareWithStores() {
        // a node's history comes behind its rooms
        if self.plan.hasNodes { for node in self.nodes { node.advance(by: .seconds(1)) } }
        for channel in Self.rooms.keys {
            for room in self.rooms(of: channel) {
                for node in self.nodes { self.compare(with: node.engine, channel, room) }
            }
        }
    }

    /// What everybody has seen is what the store holds, and what was sent again is in it once.
    private func compare(with engine: MemoryEngine, _ channel: String, _ room: String) {
        let key = RoomKey.make(room, channel: channel)
        guard let epoch = engine.epoch(of: key) else { return }
        let log = Ledger.Log(channel: channel, room: room, epoch: epoch.description)
        var keys: Set<UniqueID> = []
        for entry in engine.entries(of: key) {
            let seen = self.ledger.logs[log]?[Int(entry.seq)]
            self.ledger.check(
                seen.map { $0.id == entry.id.description } ?? true,
                "\(log) \(entry.seq) is another message in the store"
            )
            if let key = entry.key {
                self.ledger.check(keys.insert(key.id).inserted, "\(log) \(entry.seq) repeats the message \(key.id)")
            }
            let isRedacted = !Self.isImport(room) && self.ledger.redacted.contains(entry.id.description)
            self.ledger.check(!isRedacted || entry.kind == .tombstone, "\(log) \(entry.seq) has its text in the store")
        }
    }
}
