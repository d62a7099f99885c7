import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// All that the rooms of a broker took, to be given to other rooms: they have to do the same, and become the same.
final class RecordedRooms: RoomRecorder {
    private struct Recording {
        let first: Room
        var inputs: [RoomInput] = []
    }

    /// A room that was forgotten, and comes to be again, has another recording.
    private let rooms = NIOLockedValueBox<[RoomKey: [Recording]]>([:])

    func began(_ room: Room) {
        self.rooms.withLockedValue { $0[room.key, default: []].append(Recording(first: room)) }
    }

    func took(_ input: RoomInput, in room: RoomKey) {
        self.rooms.withLockedValue { rooms in
            guard let last = rooms[room]?.indices.last else { return }
            rooms[room]?[last].inputs.append(input)
        }
    }

    /// How much was recorded.
    var inputs: Int { self.rooms.withLockedValue { $0.values.joined().reduce(0) { $0 + $1.inputs.count } } }

    /// Applies all of it again.
    func check(_ ledger: Ledger) {
        for (key, recordings) in self.rooms.withLockedValue(\.self) {
            for recording in recordings { _ = Self.replayed(recording, of: key, ledger) }
        }
    }

    /// Holds the rooms that the broker has against those that come of what it recorded.
    func compare(with broker: TestBroker, _ ledger: Ledger) {
        let recordings = self.rooms.withLockedValue { $0.compactMapValues(\.last) }
        for shard in broker.shards {
            for (key, recording) in recordings {
                guard let ordered = shard.onLoop.owner.rooms[key]?.order as? LoopRoom else { continue }
                let room = Self.replayed(recording, of: key, ledger)
                ledger.check(room == ordered.room, "\(key) is another room than the one that was given the same")
            }
        }
    }

    private static func replayed(_ recording: Recording, of key: RoomKey, _ ledger: Ledger) -> Room {
        var room = recording.first
        for (number, input) in recording.inputs.enumerated() {
            let isSame: Bool =
                switch input {
                case .command(let command, let left, let refusal):
                    room.enqueue(Self.reread(command, of: key, ledger), left: left) == refusal
                case .advance(let action): room.advance() == action
                case .turn(let turn, let batch): room.takeBatch(turn) == batch
                case .store(let report, let opensLog): room.storeReported(report) == opensLog
                case .adoptSettings: room.adopted()
                case .forgetKeys(let second): room.forgotten(second)
                }
            ledger.check(isSame, "\(key) does something else in step \(number) when it is given the same: \(input)")
            if !isSame { break }
        }
        return room
    }

    /// The command as it comes out of its bytes.
    private static func reread(_ command: RoomCommand, of key: RoomKey, _ ledger: Ledger) -> RoomCommand {
        let turn = RoomTurn(
            milliseconds: 0,
            steadyMilliseconds: 0,
            ids: IDSequence(milliseconds: 0, seed: 0)
        )
        let record = RoomRecord(room: key, turn: turn, commands: [command])
        do {
            let read = try RoomRecord(decoding: record.encoded)
            ledger.check(read == record, "\(command) is another one in its bytes")
            return read.commands.first ?? command
        } catch {
            ledger.check(false, "\(command): \(error)")
            return command
        }
    }
}

extension Room {
    fileprivate mutating func adopted() -> Bool {
        self.adoptNextSettings()
        return true
    }

    fileprivate mutating func forgotten(_ second: UInt32) -> Bool {
        self.forgetKeys(before: second)
        return true
    }
}
