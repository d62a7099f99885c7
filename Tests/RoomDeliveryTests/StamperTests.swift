import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct StamperTests {
    private static let start: Int64 = 1_763_697_600_000

    @Test(arguments: [[0, 0, 0], [0, 1, 2], [0, -1, -1_000_000], [5, 0, 6, 3, 6]] as [[Int64]])
    func `ids increase whatever the clock does`(steps: [Int64]) {
        var stamper = Stamper(floor: MemoryFloor())
        let ids = steps.map { stamper.next(now: Self.start + $0, seed: .max) }
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }

    @Test func `an id has the version, the variant and the time of RFC 9562`() {
        var stamper = Stamper(floor: MemoryFloor())
        let id = stamper.next(now: Self.start, seed: 0)
        #expect(id.milliseconds == Self.start)
        #expect(id.high >> 12 & 0xf == 7)
        #expect(id.low >> 62 == 2)
    }

    @Test func `more ids than a millisecond holds go on in the next one`() {
        var stamper = Stamper(floor: MemoryFloor())
        let ids = (0...0x1001).map { _ in stamper.next(now: Self.start, seed: 7) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ids.last?.milliseconds == Self.start + 1)
    }

    @Test func `a batch's ids lie between those before and behind it`() {
        var stamper = Stamper(floor: MemoryFloor())
        let before = stamper.next(now: Self.start, seed: 1)
        var sequence = stamper.ids(now: Self.start, seed: 2)
        let ids = (0..<0x2000).map { _ in sequence.next() }
        stamper.used(sequence)
        let all = [before] + ids + [stamper.next(now: Self.start, seed: 3)]
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        var again = IDSequence(milliseconds: Self.start, sequence: 0, seed: 2)
        #expect(again.next() == ids.first)
    }

    @Test func `a turn without ids takes none`() {
        var stamper = Stamper(floor: MemoryFloor())
        stamper.used(stamper.ids(now: Self.start, seed: 1))
        let id = stamper.next(now: Self.start, seed: 2)
        #expect((id.milliseconds, id.sequence) == (Self.start, 0))
    }

    @Test func `after a restart with a clock that went back ids go on above the floor`() {
        let floor = MemoryFloor()
        var stamper = Stamper(floor: floor)
        let before = (0..<5_000).map { stamper.next(now: Self.start + Int64($0 / 10), seed: .max) }
        var restarted = Stamper(floor: floor)
        let after = restarted.next(now: Self.start - 3_600_000, seed: 0)
        #expect(before.allSatisfy { $0 < after })
    }

    @Test func `the floor is raised in steps, not with each id`() {
        let floor = MemoryFloor()
        var stamper = Stamper(floor: floor)
        _ = stamper.next(now: Self.start, seed: 0)
        let reserved = floor.current
        _ = stamper.next(now: Self.start + 1, seed: 0)
        #expect(reserved > Self.start + 1)
        #expect(floor.current == reserved)
    }

    @Test func `the next id is above one that a log has`() {
        var stamper = Stamper(floor: MemoryFloor())
        let known = UniqueID(milliseconds: Self.start + 10, sequence: 0xfff, random: .max)
        stamper.raise(to: known)
        #expect(stamper.next(now: Self.start, seed: 0) > known)
        stamper.raise(to: .make(0))
        #expect(stamper.next(now: Self.start, seed: 0) > known)
    }
}
