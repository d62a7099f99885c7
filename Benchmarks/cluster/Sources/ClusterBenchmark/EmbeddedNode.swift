import Foundation
import Logging
import NIOCore
import RoomCore
import RoomModel
import RoomStore
import Synchronization

/// The same rooms and the same load with the embedded engine: a room's batch waits for SQLite, others gather meanwhile.
final class EmbeddedNode: Sendable {
    private struct State {
        var rooms: [HostedRoom]
        var load: Load
        var tally: Tally
        var inFlight: [RoomBatch?]
        var random = SystemRandomNumberGenerator()
        var time = PartitionTime()
    }

    private let state: Mutex<State>
    private let store: HistoryStore
    private let retention = HistorySettings(count: 1_000)

    init(_ settings: Load.Settings, directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        self.store = try HistoryStore(
            .file(directory + "/history.sqlite"),
            bootID: "benchmark",
            logger: Logger(label: "benchmark"),
            now: { Int64(Date.now.timeIntervalSince1970 * 1_000) }
        )
        let channel = BenchmarkChannel.make()
        let load = Load(settings)
        let rooms = load.names.map { name in
            let key = RoomKey(channel: channel.id, room: name)
            let settings = channel.roomSettings(of: name, BrokerLimits())
            let room = Room(key: key, settings: settings, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
            return HostedRoom(room, Epoch(rawValue: 1))
        }
        self.state = Mutex(
            State(
                rooms: rooms,
                load: load,
                tally: Tally(node: settings.node),
                inFlight: Array(repeating: nil, count: rooms.count)
            )
        )
    }

    func start() {
        let rooms = self.state.withLock { state in
            state.tally.begin()
            return Self.enqueue(state.load.start(), &state)
        }
        rooms.forEach(self.advance)
    }

    /// Counts from now on.
    func restart() { self.state.withLock { $0.tally.begin() } }

    func tick() {
        let rooms = self.state.withLock { state in Self.enqueue(state.load.due(), &state) }
        rooms.forEach(self.advance)
    }

    func stop() -> String {
        self.state.withLock { state in
            state.load.stop()
            return state.tally.report
        }
    }

    private static func enqueue(_ commands: [(room: Int, command: RoomCommand)], _ state: inout State) -> Set<Int> {
        var rooms: Set<Int> = []
        for (room, command) in commands {
            if state.rooms[room].room.enqueue(command) != nil { say("refused") }
            rooms.insert(room)
        }
        return rooms
    }

    private enum Step {
        case open(RoomKey)
        case append(LogBatch)
        case none
    }

    private func advance(_ index: Int) {
        switch self.state.withLock({ Self.step(index, self.retention, &$0) }) {
        case .none: return
        case .open(let key):
            self.store.open(key, retention: self.retention, for: .broker) { result in
                guard case .success(let log) = result else { return say("cannot open: \(result)") }
                self.state.withLock { $0.rooms[index].room.opened(log) }
                self.advance(index)
            }
        case .append(let batch):
            self.store.append(batch) { result in
                guard case .success(let receipt) = result else { return say("cannot append: \(result)") }
                self.state.withLock { Self.committed(index, receipt, &$0) }
                self.advance(index)
            }
        }
    }

    private static func step(_ index: Int, _ retention: HistorySettings, _ state: inout State) -> Step {
        let hosted = state.rooms[index]
        switch hosted.room.advance() {
        case .none, .clear: return .none
        case .open: return .open(hosted.room.key)
        case .take:
            state.time.advance(to: Int64(Date.now.timeIntervalSince1970 * 1e9))
            let batch = hosted.takeBatch(state.time, seed: state.random.next())
            guard let log = hosted.room.log else { return .none }
            let entries = EncodedRoomBatch(batch, hosted.writer).entries
            state.inFlight[index] = batch
            return .append(LogBatch(log: log, retention: retention, durability: .process, entries: entries))
        }
    }

    private static func committed(_ index: Int, _ receipt: AppendReceipt, _ state: inout State) {
        let hosted = state.rooms[index]
        hosted.room.committed(receipt)
        guard let batch = state.inFlight[index] else { return }
        state.inFlight[index] = nil
        state.tally.delivered(batch, in: hosted.room.key.room)
        state.tally.acknowledged(batch.answers.count)
        for _ in batch.answers {
            guard let next = state.load.acknowledged(room: index) else { continue }
            _ = hosted.room.enqueue(next.command)
        }
    }
}
