import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// The check that the simulation makes of its rooms sees what it is to see.
struct RecordedRoomsTests {
    private static func recorded() -> (TestBroker, RecordedRooms) {
        let rooms = RecordedRooms()
        let broker = TestBroker(recorder: rooms)
        let member = broker.connect().joined("room")
        for number in 0..<3 { _ = member.publish("room", "\(number)") }
        return (broker, rooms)
    }

    @Test func `rooms that are given the same become the same`() {
        let (broker, rooms) = Self.recorded()
        let ledger = Ledger()
        rooms.check(ledger)
        rooms.compare(with: broker, ledger)
        #expect(ledger.violations == [])
        #expect(rooms.inputs > 6)
    }

    @Test func `a command that nobody recorded is noticed`() {
        let (broker, rooms) = Self.recorded()
        let ledger = Ledger()
        let key = RoomKey.make()
        let turn = RoomTurn(milliseconds: 0, steadyMilliseconds: 0, ids: IDSequence(milliseconds: 0, seed: 0))
        rooms.took(.command(.update(.make("nobody")), left: .max, refusal: nil), in: key)
        rooms.compare(with: broker, ledger)
        #expect(ledger.violations.contains { $0.contains("another room") })
        rooms.took(.turn(turn, RoomBatch.empty(turn)), in: key)
        rooms.check(ledger)
        #expect(ledger.violations.contains { $0.contains("something else in step") })
    }
}

extension RoomBatch {
    fileprivate static func empty(_ turn: RoomTurn) -> RoomBatch {
        let channel = RoomChannel(settings: .make(history: nil))
        var room = Room(
            key: .make("other"),
            settings: channel.roomSettings(of: RoomName("other"), .init()),
            epoch: Epoch(rawValue: 1),
            limits: .init()
        )
        return room.takeBatch(turn)
    }
}
