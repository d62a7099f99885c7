import RoomCrypto
import Testing

struct HMACSHA256Tests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let key: [UInt8]
        let message: [UInt8]
        let code: String

        init(_ name: String, key: [UInt8], _ message: [UInt8], _ code: String) {
            self.testDescription = name
            self.key = key
            self.message = message
            self.code = code
        }
    }

    /// RFC 4231, section 4; of the fifth only the first 16 bytes are published.
    static let vectors = [
        Vector(
            "1",
            key: [UInt8](repeating: 0x0b, count: 20),
            Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            "2: a key shorter than the hash",
            key: Array("Jefe".utf8),
            Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            "3",
            key: [UInt8](repeating: 0xaa, count: 20),
            [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            "4",
            key: Array(1...25),
            [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            "5",
            key: [UInt8](repeating: 0x0c, count: 20),
            Array("Test With Truncation".utf8),
            "a3b6167473100ee06e0c796c2955552b"
        ),
        Vector(
            "6: a key longer than a block",
            key: [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            "7: key and message longer than a block",
            key: [UInt8](repeating: 0xaa, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: Self.vectors)
    func `a published message has its published code`(vector: Vector) {
        let code = HMACSHA256(key: vector.key).code(for: vector.message)
        #expect(code.count == 32)
        #expect(code.starts(with: hexadecimal(vector.code)))
    }

    @Test(arguments: Self.vectors)
    func `a code is valid only whole, unchanged, and with its key`(vector: Vector) {
        let hmac = HMACSHA256(key: vector.key)
        let code = hmac.code(for: vector.message)
        #expect(hmac.isValid(code, for: vector.message))
        #expect(!hmac.isValid(code, for: vector.message + [0]))
        #expect(!hmac.isValid(code.dropLast(), for: vector.message))
        #expect(!hmac.isValid([], for: vector.message))
        #expect(!hmac.isValid(code.dropLast() + [code[31] ^ 1], for: vector.message))
        #expect(!HMACSHA256(key: vector.key + [1]).isValid(code, for: vector.message))
    }

    @Test func `the message may be empty`() {
        let hmac = HMACSHA256(key: [1])
        #expect(hmac.isValid(hmac.code(for: []), for: []))
        #expect(hmac.code(for: []) != hmac.code(for: [0]))
    }

    @Test func `several tasks use one key`() async {
        let hmac = HMACSHA256(key: Array("Jefe".utf8))
        let expected = hmac.code(for: [1, 2, 3])
        await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 { group.addTask { hmac.code(for: [1, 2, 3]) } }
            for await code in group { #expect(code == expected) }
        }
    }
}
