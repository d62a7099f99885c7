/// SHA-1 (FIPS 180-4 §6.1), for the proof that a server has read the request for a WebSocket. It protects nothing: the
/// key that it is made of is sent in clear text.
///
/// We have our own, because an app that uses the client alone is built without libcrypto, and a libcrypto of FIPS may refuse it.
package enum SHA1 {
    /// The hash that answers this `Sec-WebSocket-Key` (RFC 6455 §1.3): 20 bytes.
    package static func proof(ofKey key: String) -> [UInt8] {
        self.hash((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    }

    static func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
        var state: (a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32) = (
            0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0
        )
        let padded = Self.padded(Array(message))
        for start in stride(from: 0, to: padded.count, by: Self.blockSize) {
            Self.add(Self.schedule(padded[start..<start + Self.blockSize]), to: &state)
        }
        return [state.a, state.b, state.c, state.d, state.e].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static let blockSize = 64

    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        let tail = (padded.count + 8) % Self.blockSize
        if tail > 0 { padded += Array(repeating: 0, count: Self.blockSize - tail) }
        let bits = UInt64(message.count) * 8
        return padded + [56, 48, 40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }

    private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words: [UInt32] = []
        words.reserveCapacity(80)
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(Self.rotated(word, by: 1))
        }
        return words
    }

    private static func add(
        _ words: [UInt32],
        to state: inout (a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32)
    ) {
        var (a, b, c, d, e) = state
        for (index, word) in words.enumerated() {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case 0..<20: (b & c | ~b & d, 0x5a82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = Self.rotated(a, by: 5) &+ mixed &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, Self.rotated(b, by: 30), a, next)
        }
        state = (state.a &+ a, state.b &+ b, state.c &+ c, state.d &+ d, state.e &+ e)
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
