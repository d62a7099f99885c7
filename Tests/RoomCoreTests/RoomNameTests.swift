import RoomModel
import Testing

/// The names of rooms as keys of tables.
struct RoomNameTests {
    /// A known collision of FNV-1a with 64 bits.
    static let colliding = [RoomName("8yn0iYCKYHlIj4-BwPqk"), RoomName("GReLUrM4wMqfg9yzV3KQ")]

    @Test func `names with the same stable hash are different keys with different hashes`() {
        let (one, other) = (Self.colliding[0], Self.colliding[1])
        #expect(one.stableHash == other.stableHash)
        #expect(one != other)
        #expect(one.hashValue != other.hashValue)
    }

    @Test func `rooms with the same stable hash have different hashes`() throws {
        let channel = try #require(ChannelID("default"))
        let one = RoomKey(channel: channel, room: Self.colliding[0])
        let other = RoomKey(channel: channel, room: Self.colliding[1])
        #expect(one.stableHash == other.stableHash)
        #expect(one.hashValue != other.hashValue)
    }

    @Test func `rooms of one name in many channels have different hashes`() throws {
        let keys = try (0..<1000).map { number in
            RoomKey(channel: try #require(ChannelID("tenant-\(number)")), room: RoomName("lobby"))
        }
        #expect(Set(keys.map(\.hashValue)).count == keys.count)
    }
}
