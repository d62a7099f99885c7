import Foundation
import Testing

@testable import RoomWire

struct SHA1Tests {
    /// Of FIPS 180 and RFC 3174, and lengths around those where the padding needs another block.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
        (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
        (String(repeating: "a", count: 63), "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
        (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
        (String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
    ])
    func `the hash is that of the standard`(text: String, hash: String) {
        let hex = SHA1.hash(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(hex == hash)
    }

    @Test func `the proof of a WebSocket is that of RFC 6455`() {
        let proof = SHA1.proof(ofKey: "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(Data(proof).base64EncodedString() == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
