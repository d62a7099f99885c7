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
        resumption.subscribed(RoomName("c"))
        #expect(resumption.takeRooms() == Self.rooms("b", "a"))
        #expect(!resumption.hasLingeringRooms)
    }

    @Test func `only the rooms that are asked for are taken`() {
        var resumption = Resumption(lingering: Self.rooms("a", "b"))
        #expect(resumption.takeRooms { $0 == RoomName("b") } == Self.rooms("b"))
        resumption.linger(Self.rooms("c"))
        #expect(resumption.takeRooms() == Self.rooms("a", "c"))
    }
}
