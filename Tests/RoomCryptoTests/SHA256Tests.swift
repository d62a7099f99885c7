import RoomCrypto
import Testing

struct SHA256Tests {
    /// The first two of FIPS 180-4's examples, and the lengths 0, 8, 16, 24, 32 and 512 of NIST's CAVP vectors
    /// (SHA256ShortMsg.rsp): https://csrc.nist.gov/projects/cryptographic-algorithm-validation-program/secure-hashing
    static let vectors = [
        ("616263", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "6162636462636465636465666465666765666768666768696768696a68696a6b696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f6d6e6f70"
                + "6e6f7071",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("d3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
        ("11af", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
        ("b4190e", "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
        ("74ba2521", "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e"),
        (
            "5a86b737eaea8ee976a0a24da63e7ed7eefad18a101c1211e2b3650c5187c2a8a650547208251f6d4237e661c7bf4c77f335390394"
                + "c37fa1a9f9be836ac28509",
            "42e61e174fbb3897d6dd6cef3dd2802fe67b331953b06114a65c772859dfc1aa"
        ),
    ]

    @Test(arguments: Self.vectors)
    func `a published message has its published hash`(message: String, hash: String) {
        #expect(SHA256.hash(hexadecimal(message)).hex == hash)
    }

    /// The third example of FIPS 180-4.
    @Test func `a million letters a in pieces of every length up to 130`() {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        var hash = SHA256()
        var (rest, length) = (letters[...], 0)
        while !rest.isEmpty {
            rest.prefix(length).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(length)
            length = (length + 1) % 131
        }
        #expect(hash.finalize().hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `hashes are equal only if all bytes are`() {
        let digest = SHA256.hash(Array("abc".utf8))
        #expect(digest == SHA256Digest(bytes: digest.bytes))
        for place in digest.bytes.indices {
            var bytes = digest.bytes
            bytes[place] ^= 1
            #expect(digest != SHA256Digest(bytes: bytes))
        }
        #expect(digest != SHA256Digest(bytes: digest.bytes.dropLast()))
        #expect(digest != SHA256Digest(bytes: digest.bytes + [0]))
        #expect(digest != SHA256Digest(bytes: []))
    }
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
