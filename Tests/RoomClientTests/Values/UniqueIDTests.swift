import Foundation
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

struct UniqueIDTests {
    @Test func `a random id is a version 4 UUID`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let text = UniqueID(random: &random).description
            #expect(text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        }
    }

    @Test func `random ids use all random bits`() {
        var random = SeededRandom(seed: 2)
        var (ones, zeros) = ((high: UInt64(0), low: UInt64(0)), (high: UInt64(0), low: UInt64(0)))
        var ids: Set<UniqueID> = []
        for _ in 0..<500 {
            let id = UniqueID(random: &random)
            ids.insert(id)
            (ones.high, ones.low) = (ones.high | id.high, ones.low | id.low)
            (zeros.high, zeros.low) = (zeros.high | ~id.high, zeros.low | ~id.low)
        }
        #expect(ids.count == 500)
        #expect(ones.high & zeros.high == ~0xf000)
        #expect(ones.low & zeros.low == UInt64.max >> 2)
    }

    @Test func `a UUID has the same text`() throws {
        let text = "019aa3c5-7b00-7004-8f21-6c0d5e4b3a04"
        let id = try #require(UniqueID(text.utf8))
        #expect(UUID(id).uuidString.lowercased() == text)
        #expect(UUID(UniqueID(high: .max, low: 0)).uuidString == "FFFFFFFF-FFFF-FFFF-0000-000000000000")
    }

    @Test func `a date is that of the id, to the millisecond`() throws {
        let id = UniqueID(milliseconds: 1_763_697_600_123, sequence: 4_095, random: .max)
        #expect(Date(id) == Date(timeIntervalSince1970: 1_763_697_600.123))
        #expect(Date(UniqueID(high: 0, low: 0)) == Date(timeIntervalSince1970: 0))
    }
}
