/// A WebSocket frame as bytes, made without the code that is tested; all that a peer can get wrong can be set.
struct RawWebSocketFrame {
    var first: UInt8
    var payload: [UInt8]
    /// `nil`: not masked.
    var mask: [UInt8]? = [0x12, 0x34, 0x56, 0x78]
    /// How many bytes the length has: 0, 2, 8; `nil`: as few as possible.
    var lengthSize: Int?
    /// What the head says of the length; `nil`: the truth.
    var length: UInt64?

    init(_ first: UInt8, _ payload: [UInt8] = []) {
        self.first = first
        self.payload = payload
    }

    static func text(_ text: String) -> RawWebSocketFrame { RawWebSocketFrame(0x81, Array(text.utf8)) }

    var bytes: [UInt8] {
        let length = self.length ?? UInt64(self.payload.count)
        let lengthSize = self.lengthSize ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8)
        let maskBit: UInt8 = self.mask == nil ? 0 : 0x80
        var bytes = [self.first]
        switch lengthSize {
        case 0: bytes.append(maskBit | UInt8(length))
        case 2: bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xff)]
        default: bytes += [maskBit | 127] + (0..<8).reversed().map { UInt8(length >> (8 * $0) & 0xff) }
        }
        guard let mask else { return bytes + self.payload }
        return bytes + mask + self.payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
