import RoomCrypto
import Testing

struct SHA1Tests {
    /// The examples of FIPS 180-4, the empty message, and the key of RFC 6455 §1.3 with the GUID of WebSocket behind it.
    @Test(arguments: [
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11", "b37a4f2cc0624f1690f64606cf385945b2bec4ea"),
    ])
    func `a published message has its published hash`(message: String, hash: String) {
        #expect(SHA1.hash(Array(message.utf8)) == hexadecimal(hash))
    }
}
