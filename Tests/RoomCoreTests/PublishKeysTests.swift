import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

struct PublishKeysTests {
    @Test func `a key is remembered with what became of its message`() {
        var keys = PublishKeys(capacity: 10)
        let stamp = Stamp(id: .make(0), sender: .make())
        keys.insert(PublishKey(id: .make(1), digest: 5), seq: 3)
        #expect(keys[.make(1)] == PublishKeys.Original(seq: 3, digest: 5, stamp: nil))
        keys.stamped(.make(1), stamp)
        #expect(keys[.make(1)] == PublishKeys.Original(seq: 3, digest: 5, stamp: stamp))
        #expect(keys[.make(2)] == nil)
    }
}
