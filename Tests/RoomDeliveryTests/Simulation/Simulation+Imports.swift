import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Rooms of a simulated run whose history is an export of another room.
extension Simulation {
    private static let mostImports = 3

    /// The names of these rooms.
    static func isImport(_ room: String) -> Bool { room.hasPrefix("import-") }

    /// All clients that are in rooms.
    var everybody: [SimulatedClient] { self.clients + self.imports.map(\.watcher) }

    /// The rooms of the channel in the end.
    func rooms(of channel: String) -> [String] {
        let imported = self.imports.filter { $0.room.channel.text == channel }
        return (Self.rooms[channel] ?? []) + imported.map(\.room.room.text)
    }

    /// Draws apart from the steps: they are the same without imports.
    mutating func goOnImporting(_ step: Int) {
        var random = self.plan.random(for: -2 - step)
        if self.imports.count < Self.mostImports, random.chance(4) { self.beginImport(&random) }
        for one in self.imports where !one.isOver {
            if self.plan.hasFaults, random.chance(10) {
                self.broker.engine.failNext(.importLog, random.chance(50) ? .unavailable : .unavailableButDone)
            }
            one.goOn(with: self.broker, part: 1 + random.below(12), self.ledger)
            if random.chance(3) { self.publish(during: one, at: step) }
        }
    }

    private mutating func beginImport(_ random: inout SeededRandom) {
        guard let source = Self.rooms["test"]?.randomElement(using: &random) else { return }
        let exported = self.broker.engine.entries(of: .make(source, channel: "test"))
        guard !exported.isEmpty, let retention = self.channels.first(where: { $0.id.text == "test" })?.history else {
            return
        }
        let name = "import-\(self.imports.count)"
        self.ledger.note("\(exported.count) messages of \(source) are imported into \(name)")
        let watcher = SimulatedClient(
            name: "watcher of \(name)",
            channel: "test",
            address: "10.0.2.\(self.imports.count)",
            ledger: self.ledger
        )
        watcher.connect(self.broker.connect(shard: random.below(self.plan.shards)), resumable: false)
        watcher.subscribe(name, options: "")
        self.imports.append(
            SimulatedImport(
                exported,
                into: .make(name, channel: "test"),
                retention: retention,
                watcher: watcher,
                mayBeLost: self.plan.mayLoseLogs
            )
        )
    }

    private func publish(during one: SimulatedImport, at step: Int) {
        guard one.watcher.isOpen else { return }
        let name = one.room.room.text
        self.ledger.note("\(one.watcher.name) publishes")
        one.wasDisturbed()
        one.watcher.publish(.init(room: name, text: "\(name) at \(step)", isSilent: true))
    }

    /// All parts come in, and those who were cut off come back.
    func finishImports() {
        for _ in 0..<400 where self.imports.contains(where: { !$0.isOver }) {
            for one in self.imports { one.goOn(with: self.broker, part: 10, self.ledger) }
            self.broker.runAll()
        }
        self.ledger.check(self.imports.allSatisfy(\.isOver), "an import does not come to its end")
        for one in self.imports {
            one.watcher.read()
            if one.watcher.connection == nil {
                one.watcher.connect(self.broker.connect(), resumable: false)
                self.broker.runAll()
                one.watcher.read()
            }
            if one.watcher.views[one.room.room.text] == nil {
                one.watcher.subscribe(one.room.room.text, options: "")
            }
        }
        self.broker.runAll()
    }
}
