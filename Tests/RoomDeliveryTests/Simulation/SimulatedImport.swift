import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// An export of a simulated run that becomes another room's history, part by part, while a member is in that room.
final class SimulatedImport {
    let room: RoomKey
    let watcher: SimulatedClient
    private let retention: HistorySettings
    private let exported: [LogEntry]
    /// How many of these are stored, as was answered or found out.
    private var stored = 0
    /// Where the part before has ended.
    private var end: Position?
    private var phase = Phase.ready
    /// Somebody has published in the room, and nothing more of the export may follow.
    private var isDisturbed = false
    /// Faults of the store may cost it all that it has.
    private let mayBeLost: Bool
    private let answer = NIOLockedValueBox<Result<ImportReceipt, LogImportError>?>(nil)
    private let isReread = NIOLockedValueBox(false)

    private enum Phase: Equatable {
        case ready
        /// The store was asked to take so many.
        case asked(Int)
        /// The room looks at its log again.
        case rereading
        case over
    }

    init(
        _ exported: [LogEntry],
        into room: RoomKey,
        retention: HistorySettings,
        watcher: SimulatedClient,
        mayBeLost: Bool
    ) {
        self.exported = exported
        self.room = room
        self.retention = retention
        self.watcher = watcher
        self.mayBeLost = mayBeLost
    }

    var isOver: Bool { self.phase == .over }

    /// The broker that was asked is dead.
    func stop() { self.phase = .over }

    func wasDisturbed() { self.isDisturbed = true }

    /// Does what there is to do now.
    ///
    /// - Parameter count: how many the next part has at most.
    func goOn(with broker: TestBroker, part count: Int, _ ledger: Ledger) {
        switch self.phase {
        case .ready: self.ask(broker.engine, min(count, self.exported.count - self.stored))
        case .asked(let count):
            switch self.answer.withLockedValue({ $0.take() }) {
            case nil: return
            case .success(let receipt):
                self.took(count, receipt.epoch, seq: receipt.seq, broker)
            case .failure(.unavailable):
                self.lookAtStore(after: count, broker)
            case .failure(let error):
                let isExpected = self.isDisturbed || self.mayBeLost
                ledger.check(isExpected, "a part of the export is not taken into \(self.room): \(error)")
                self.phase = .over
            }
        case .rereading:
            guard self.isReread.withLockedValue(\.self) else { return }
            self.phase = self.stored == self.exported.count ? .over : .ready
        case .over: return
        }
    }

    private func ask(_ engine: MemoryEngine, _ count: Int) {
        self.phase = .asked(count)
        let part = LogImport(
            room: self.room,
            retention: self.retention,
            after: self.end,
            entries: Array(self.exported[self.stored..<(self.stored + count)])
        )
        engine.importLog(part) { [answer] result in answer.withLockedValue { $0 = result } }
    }

    /// It is unknown whether the part was stored: whoever imports looks where the room ends.
    private func lookAtStore(after count: Int, _ broker: TestBroker) {
        let last = self.exported[self.stored + count - 1]
        guard let epoch = broker.engine.epoch(of: self.room), broker.engine.entries(of: self.room).last?.id == last.id
        else {
            self.phase = .ready
            return
        }
        self.took(count, epoch, seq: last.seq, broker)
    }

    private func took(_ count: Int, _ epoch: Epoch, seq: UInt64, _ broker: TestBroker) {
        self.stored += count
        self.end = Position(epoch: epoch, seq: seq)
        self.phase = .rereading
        self.isReread.withLockedValue { $0 = false }
        let owner = broker.shards[Int(self.room.stableHash % UInt64(broker.shards.count))]
        Self.reread(self.room, until: epoch, by: owner, tries: 3) { [isReread] in
            isReread.withLockedValue { $0 = true }
        }
    }

    /// What `RoomGateway.importHistory` does, without an `await`.
    private static func reread(
        _ room: RoomKey,
        until epoch: Epoch,
        by owner: ShardRef,
        tries: Int,
        done: @escaping @Sendable () -> Void
    ) {
        guard tries > 0 else { return done() }
        owner.post { shard in
            shard.owner.logReplaced(of: room)
            owner.post { shard in
                shard.owner.readLog(of: room, HistoryRequest(room: room.room)) { _, result in
                    let found = try? result.get().epoch
                    if found == epoch || found == nil { return done() }
                    Self.reread(room, until: epoch, by: owner, tries: tries - 1, done: done)
                }
            }
        }
    }

    /// The room has what was stored of the export, in its order and once, and behind it what was published there.
    func check(_ engine: MemoryEngine, _ ledger: Ledger) {
        let entries = engine.entries(of: self.room)
        let own = entries.prefix { entry in self.exported.contains { $0.id == entry.id } }
        let places = own.compactMap { entry in self.exported.firstIndex { $0.id == entry.id } }
        let isInOrder = zip(places, places.dropFirst()).allSatisfy { $0 + 1 == $1 }
        let isSame = zip(places, own).allSatisfy { place, entry in
            let original = self.exported[place]
            return (original.seq, original.kind, original.tail) == (entry.seq, entry.kind, entry.tail)
        }
        ledger.check(isInOrder && isSame, "\(self.room) has the export as \(places) in \(own.map(\.seq))")
        let others = Set(entries.dropFirst(own.count).map(\.id))
        ledger.check(others.isDisjoint(with: self.exported.map(\.id)), "\(self.room) has messages of the export twice")
        if places.isEmpty, self.mayBeLost { return }
        // the rest is beyond what the room keeps
        let isFull = entries.count >= self.retention.count
        ledger.check(
            isFull || places.count >= self.stored && places.first ?? 0 == 0,
            "of \(self.stored) messages of the export \(self.room) has \(places)"
        )
        ledger.check(
            isFull && places.isEmpty || (places.last ?? -1) + 1 >= self.stored,
            "the last of \(self.stored) messages of the export are not in \(self.room): \(places)"
        )
    }
}
