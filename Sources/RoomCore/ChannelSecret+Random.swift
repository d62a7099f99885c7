package import RoomModel

extension ChannelSecret {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let length = 43

    /// A new secret: 256 random bits as 43 digits of base64url. `generator` has to be a cryptographic one.
    package static func random(using generator: inout some RandomNumberGenerator) -> ChannelSecret {
        let words = (0..<4).map { _ -> UInt64 in generator.next() }
        let text = (0..<Self.length).map { digit -> UInt8 in
            let value = (0..<6).reduce(0) { value, index in
                let bit = digit * 6 + index
                // Two zero bits stand behind the last of the 256.
                return value << 1 | (bit < 256 ? Int(words[bit / 64] >> (63 - UInt64(bit % 64)) & 1) : 0)
            }
            return Self.digits[value]
        }
        return ChannelSecret(text: String(decoding: text, as: UTF8.self))
    }
}
