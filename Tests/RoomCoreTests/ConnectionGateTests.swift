import RoomCore
import RoomModel
import Testing

struct ConnectionGateTests {
    private static func limits(files: Int, total: Int = .max) -> ConnectionGate.Limits {
        var limits = ConnectionGate.Limits()
        limits.total = total
        limits.leaveFiles(of: files, loops: 1)
        return limits
    }

    @Test(arguments: [64, 256, 1_024, 65_536, 1_048_576])
    func `connections leave files for the broker, and some for HTTP`(files: Int) {
        let limits = Self.limits(files: files)
        #expect(limits.files(for: .http) <= files - min(files / 2, 132))
        #expect(limits.places(for: .http) + limits.refused == limits.files(for: .http))
        #expect(limits.places(for: .rooms) < limits.places(for: .http))
        #expect(limits.places(for: .rooms) >= files / 4)
        #expect(limits.refused > 0)
    }

    @Test func `a limit of connections that leaves enough files holds for all`() {
        let limits = Self.limits(files: 1_024, total: 100)
        #expect(limits.places(for: .rooms) == 100 && limits.places(for: .http) == 100)
        #expect(Self.limits(files: .max).places(for: .rooms) == .max)
    }

    @Test func `HTTP gets in where the rooms are full`() {
        let gate = ConnectionGate(limits: Self.limits(files: 256))
        let rooms = gate.limits.places(for: .rooms)
        for _ in 0..<rooms { #expect(gate.enter(nil, now: 0) == .admitted) }
        for _ in 0..<gate.limits.refused {
            guard case .refused(let error) = gate.enter(nil, now: 0) else { return #expect(Bool(false)) }
            #expect(error.code == .tooManyConnections)
        }
        #expect(gate.enter(nil, now: 0) == .turnedAway)
        for _ in rooms..<gate.limits.places(for: .http) {
            #expect(gate.enter(nil, side: .http, now: 0) == .admitted)
        }
        #expect(gate.enter(nil, side: .http, now: 0) == .turnedAway)
    }

    @Test func `a connection of HTTP becomes one of the rooms, where there is a place`() {
        let gate = ConnectionGate(limits: Self.limits(files: 256))
        let (rooms, all) = (gate.limits.places(for: .rooms), gate.limits.places(for: .http))
        for _ in 0..<all { #expect(gate.enter(nil, side: .http, now: 0) == .admitted) }
        #expect(gate.moveToRooms(nil, as: nil, now: 0)?.code == .tooManyConnections)
        for _ in rooms..<all { gate.leave(nil, .admitted) }
        #expect(gate.moveToRooms(nil, as: nil, now: 0) == nil)
        #expect(gate.enter(nil, now: 0) != .admitted, "it has not made room for another one")
    }

    @Test func `it counts for the client from then on`() {
        var limits = ConnectionGate.Limits()
        limits.perAddress = 1
        let gate = ConnectionGate(limits: limits)
        let (proxy, client) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        #expect(gate.enter(proxy, side: .http, now: 0) == .admitted)
        #expect(gate.moveToRooms(proxy, as: proxy, now: 0) == nil)
        #expect(gate.moveToRooms(proxy, as: client, now: 0) == nil)
        #expect(gate.enter(proxy, side: .http, now: 0) == .admitted)
        #expect(gate.moveToRooms(proxy, as: client, now: 0)?.code == .tooManyConnections)
        gate.leave(client, .admitted)
        #expect(gate.moveToRooms(proxy, as: client, now: 0) == nil)
    }
}
