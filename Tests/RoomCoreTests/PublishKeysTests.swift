import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

struct PublishKeysTests {
    private static func keys(_ numbers: [UInt64], capacity: Int = 10) -> PublishKeys {
        var keys = PublishKeys(capacity: capacity)
        for number in numbers {
            let stamp = Stamp(id: .make(number), sender: .make())
            keys.insert(PublishKey(id: .make(number), digest: number), seq: number, stamp, at: UInt32(number))
        }
        return keys
    }

    @Test func `a key is remembered with what became of its message`() {
        var keys = PublishKeys(capacity: 10)
        let stamp = Stamp(id: .make(0), sender: .make())
        keys.insert(PublishKey(id: .make(1), digest: 5), seq: 3, stamp, at: 0)
        #expect(keys[.make(1)] == PublishKeys.Original(seq: 3, digest: 5, stamp: stamp))
        #expect(keys[.make(2)] == nil)
    }

    /// Who publishes chooses the ids. Where there are as many places as ids, a random hash has seven or so at the fullest.
    @Test(
        arguments: [
            { UniqueID(high: $0, low: 0) }, { UniqueID(high: 0, low: $0) }, { UniqueID(high: $0, low: $0) },
            { UniqueID(high: $0, low: 0 &- $0) }, { UniqueID(high: $0 << 32, low: $0 << 32) },
        ] as [@Sendable (UInt64) -> UniqueID]
    )
    func `ids that are alike are spread over a table`(id: @Sendable (UInt64) -> UniqueID) {
        let places = (0..<4096).map { id($0).hashValue & 0xfff }
        let most = Dictionary(grouping: places) { $0 }.values.map(\.count).max()
        #expect(most ?? 0 < 16)
    }

    @Test func `what is older than asked is forgotten`() {
        var keys = Self.keys([1, 2, 3])
        keys.forget(before: 3)
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

    @Test func `it finds what a dictionary would find, whatever comes and goes`() {
        var random = SeededRandom(seed: 7)
        var keys = PublishKeys(capacity: 300)
        var expected: [(id: UInt64, seq: UInt64)] = []
        for seq in UInt64(1)...6_000 {
            let id = random.next() % 1_000
            if let index = expected.firstIndex(where: { $0.id == id }) {
                expected[index].seq = seq
            } else {
                expected.append((id, seq))
            }
            let stamp = Stamp(id: .make(seq), sender: .make("s\(random.next() % 3)", data: "\(seq / 100)"))
            keys.insert(PublishKey(id: .make(id), digest: seq), seq: seq, stamp, at: UInt32(seq))
            #expect(keys[.make(id)] == PublishKeys.Original(seq: seq, digest: seq, stamp: stamp))
            if seq % 50 == 0 {
                keys.forget(before: 0)
                expected.removeFirst(max(0, expected.count - 300))
                #expect(keys.count == expected.count)
                #expect((0..<1_000).count { keys[.make($0)] != nil } == expected.count)
                #expect(expected.allSatisfy { keys[.make($0.id)]?.seq == $0.seq })
            }
        }
        keys.logEnded()
        #expect(expected.allSatisfy { keys[.make($0.id)].map { $0.seq == nil } ?? false })
    }

    @Test func `a key takes some hundred bytes, and a sender counts once`() {
        var keys = PublishKeys(capacity: 100_000)
        let sender = Sender.make("ann", data: "\"\(String(repeating: "x", count: 2_000))\"")
        for number in UInt64(0)..<10_000 {
            let stamp = Stamp(id: .make(number), sender: sender)
            keys.insert(PublishKey(id: .make(number), digest: 0), seq: number + 1, stamp, at: UInt32(number))
        }
        #expect(keys.bytes < 10_000 * 100 + 5_000)
        keys.insert(
            PublishKey(id: .make(10_000), digest: 0),
            seq: 1,
            Stamp(id: .make(10_000), sender: .make("bea")),
            at: 10_000
        )
        for _ in 0..<5 { keys.forget(before: .max) }
        #expect(keys.isEmpty)
        #expect(keys.bytes == 0)
    }

    @Test func `only so many are forgotten at once`() {
        var keys = Self.keys(Array(1...10_000), capacity: 20_000)
        keys.forget(before: .max)
        #expect(keys.count == 10_000 - PublishKeys.forgottenAtOnce)
    }
}
