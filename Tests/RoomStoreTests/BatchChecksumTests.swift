import Testing

@testable import RoomStore

@Suite
struct BatchChecksumTests {
    /// The values are those of the reference implementation.
    @Test(arguments: [
        ("", 0 as UInt64, 0xef46_db37_51d8_e999 as UInt64),
        ("a", 0, 0xd24e_c4f1_a98c_6e5b),
        ("abc", 0, 0x44bc_2cf5_ad77_0999),
        ("Nobody inspects the spammish repetition", 0, 0xfbce_a83c_8a37_8bf1),
        ("xxhash", 20_141_025, 0xb559_b98d_844e_0635),
    ])
    func `the checksums are those of XXH64`(_ text: String, _ seed: UInt64, _ expected: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { BatchChecksum.xxh64($0, seed: seed) } == expected)
    }

    @Test
    func `each bit of each length counts`() {
        for length in [1, 7, 8, 31, 32, 33, 100] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let sum = bytes.withUnsafeBytes { BatchChecksum.xxh64($0, seed: 1) }
            for place in 0..<length {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << bit
                    #expect(damaged.withUnsafeBytes { BatchChecksum.xxh64($0, seed: 1) } != sum)
                }
            }
        }
    }
}
