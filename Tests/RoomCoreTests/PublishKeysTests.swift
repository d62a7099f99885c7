import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

struct PublishKeysTests {
    private static func keys(_ numbers: [UInt64], capacity: Int = 10) -> PublishKeys {
        var keys = PublishKeys(capacity: capacity)
        for number in numbers {
            let stamp = Stamp(id: .make(number), sender: .make())
            keys.insert(PublishKey(id: .make(number), digest: number), seq: number, stamp)
        }
        return keys
    }

    @Test func `a key is remembered with what became of its message`() {
        var keys = PublishKeys(capacity: 10)
        let stamp = Stamp(id: .make(0), sender: .make())
        keys.insert(PublishKey(id: .make(1), digest: 5), seq: 3, stamp)
        #expect(keys[.make(1)] == PublishKeys.Original(seq: 3, digest: 5, stamp: stamp))
        #expect(keys[.make(2)] == nil)
    }

    @Test func `what is older than asked is forgotten`() {
        var keys = Self.keys([1, 2, 3])
        keys.forget(before: UniqueID.make(3).milliseconds)
        #expect([1, 2, 3].map { keys[.make($0)] == nil } == [true, true, false])
    }

    @Test func `beyond the capacity the oldest is forgotten early`() {
        var keys = Self.keys([1, 2, 3, 4], capacity: 2)
        keys.forget(before: 0)
        #expect([1, 2, 3, 4].map { keys[.make($0)] == nil } == [true, true, false, false])
    }

    @Test func `all can be forgotten at once`() {
        var keys = Self.keys([1, 2])
        keys.removeAll()
        #expect(keys.isEmpty)
    }
}
