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
        let own = self.draw.random
        self.draw.random = self.plan.random(for: -2 - step)
        defer { self.draw.random = own }
        if self.imports.count < Self.mostImports, self.draw.chance(4, "imports") { self.beginImport() }
        for one in self.imports where !one.isOver {
            if self.plan.hasFaults, self.draw.chance(10, "import fails") {
                let isUndone = self.draw.chance(50, "undone")
                self.broker.engine.failNext(.importLog, isUndone ? .unavailable : .unavailableButDone)
            }
            one.goOn(with: self.broker, part: 1 + self.draw.below(12, "part"), self.ledger)
            if self.draw.chance(3, "publishes amid import") { self.publish(during: one, at: step) }
        }
    }

    private mutating func beginImport() {
        guard let source = self.room(of: "test", "exported") else { return }
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
        let shard = self.draw.below(self.plan.shards, "shard of import")
        watcher.connect(self.broker.connect(shard: shard), resumable: false)
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
