import RoomModel
import Testing

@testable import RoomDelivery

struct ResumptionTests {
    private static func rooms(_ names: String...) -> [RoomName] { names.map { RoomName($0) } }

    @Test func `the token is taken once`() {
        var resumption = Resumption(token: "0.1.2")
        #expect(resumption.takeToken() == "0.1.2")
        #expect(resumption.takeToken() == nil)
        #expect(resumption.token == nil)
    }

    @Test func `rooms that are subscribed again do not linger any more`() {
        var resumption = Resumption(lingering: Self.rooms("b", "c", "a"))
        resumption.asked(RoomName("c"))
        resumption.joined(RoomName("c"))
        #expect(resumption.lingeringRooms == 2)
        #expect(resumption.takeRoomsToLeave() == Self.rooms("b", "a"))
        #expect(!resumption.hasLingeringRooms)
    }

    @Test func `a room that refuses it goes on as before, and one that has not answered may be left`() {
        var resumption = Resumption(lingering: Self.rooms("a", "b", "c"))
        resumption.asked(RoomName("a"))
        resumption.asked(RoomName("b"))
        resumption.refused(RoomName("a"))
        #expect(resumption.takeRooms() == Self.rooms("c", "a"))
        #expect(resumption.takeRoomsToLeave() == Self.rooms("b"))
        resumption.refused(RoomName("b"))
        #expect(!resumption.hasLingeringRooms)
    }

    @Test func `a room in which it does not linger is not put there by a refusal`() {
        var resumption = Resumption(lingering: Self.rooms("a"))
        resumption.asked(RoomName("b"))
        resumption.refused(RoomName("b"))
        #expect(resumption.takeRooms() == Self.rooms("a"))
    }

    @Test func `only the rooms that are asked for are taken`() {
        var resumption = Resumption(lingering: Self.rooms("a", "b"))
        #expect(resumption.takeRoomsToLeave { $0 == RoomName("b") } == Self.rooms("b"))
        resumption.linger(Self.rooms("c"))
        #expect(resumption.takeRooms() == Self.rooms("a", "c"))
    }
}
