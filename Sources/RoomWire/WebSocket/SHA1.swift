/// SHA-1 (FIPS 180-4 §6.1), for the proof that a server has read the request for a WebSocket. It protects nothing: the
/// key that it is made of is sent in clear text.
///
/// We have our own, because an app that uses the client alone is built without libcrypto, and a libcrypto of FIPS may refuse it.
package enum SHA1 {
    /// The hash that answers this `Sec-WebSocket-Key` (RFC 6455 §1.3): 20 bytes.
    package static func proof(ofKey key: String) -> [UInt8] {
        self.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    }

    private typealias State = (a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32)

    private static let blockSize = 64

    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: State = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0)
        // behind the message: a bit, zeros, and its length in eight bytes
        let end = ((message.count + 8) / Self.blockSize + 1) * Self.blockSize
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
            for start in stride(from: 0, to: end, by: Self.blockSize) {
                for index in 0..<16 { words[index] = Self.word(at: start + 4 * index, of: message, end) }
                for index in 16..<80 {
                    let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
                    words[index] = Self.rotated(word, by: 1)
                }
                Self.add(words, to: &state)
            }
        }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 5) { words in
            words[0] = state.a.bigEndian
            words[1] = state.b.bigEndian
            words[2] = state.c.bigEndian
            words[3] = state.d.bigEndian
            words[4] = state.e.bigEndian
            return Array(UnsafeRawBufferPointer(words))
        }
    }

    private static func word(at place: Int, of message: [UInt8], _ end: Int) -> UInt32 {
        var word: UInt32 = 0
        for index in place..<place + 4 {
            let byte =
                if index < message.count {
                    message[index]
                } else if index == message.count {
                    0x80 as UInt8
                } else if index >= end - 8 {
                    UInt8(truncatingIfNeeded: (message.count * 8) >> (8 * (end - 1 - index)))
                } else {
                    0 as UInt8
                }
            word = word << 8 | UInt32(byte)
        }
        return word
    }

    private static func add(_ words: UnsafeMutableBufferPointer<UInt32>, to state: inout State) {
        var (a, b, c, d, e) = state
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case 0..<20: (b & c | ~b & d, 0x5a82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = Self.rotated(a, by: 5) &+ mixed &+ e &+ constant &+ words[index]
            (e, d, c, b, a) = (d, c, Self.rotated(b, by: 30), a, next)
        }
        state = (state.a &+ a, state.b &+ b, state.c &+ c, state.d &+ d, state.e &+ e)
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
