/// Reads the frames of a WebSocket by RFC 6455, slowly and without state between reads.
struct WebSocketReference {
    enum Event: Equatable {
        case message([UInt8], isText: Bool)
        case ping([UInt8])
        case pong
        case close(UInt16?, String)
        /// By the code that answers it.
        case failure(UInt16)
    }

    private var rest: ArraySlice<UInt8>
    private let isMasked: Bool
    private let limit: Int
    private var open: (isText: Bool, bytes: [UInt8])?
    private var events: [Event] = []
    private var hasEnded = false

    init(_ bytes: [UInt8], isMasked: Bool, limit: Int) {
        self.rest = bytes[...]
        self.isMasked = isMasked
        self.limit = limit
    }

    mutating func read() -> [Event] {
        while !self.hasEnded, self.readFrame() {}
        return self.events
    }

    private mutating func end(_ event: Event) -> Bool {
        self.events.append(event)
        self.hasEnded = true
        return false
    }

    /// Returns whether there was a whole frame.
    private mutating func readFrame() -> Bool {
        let bytes = Array(self.rest)
        guard bytes.count >= 2 else { return false }
        let (opcode, isFinal, short) = (bytes[0] & 15, bytes[0] >= 0x80, Int(bytes[1] & 0x7f))
        guard bytes[0] & 0x70 == 0, [0, 1, 2, 8, 9, 10].contains(opcode), (bytes[1] >= 0x80) == self.isMasked,
            opcode < 8 || isFinal && short <= 125
        else { return self.end(.failure(1002)) }
        let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
        guard bytes.count >= 2 + lengthBytes else { return false }
        var length = UInt64(lengthBytes == 0 ? short : 0)
        for byte in bytes[2..<2 + lengthBytes] { length = length * 256 + UInt64(byte) }
        let shortest: UInt64 = lengthBytes == 2 ? 126 : lengthBytes == 8 ? 65_536 : 0
        guard length >= shortest, length < 1 << 63 else { return self.end(.failure(1002)) }
        let head = 2 + lengthBytes + (self.isMasked ? 4 : 0)
        guard bytes.count >= head else { return false }
        guard opcode >= 8 || (opcode == 0) == (self.open != nil) else { return self.end(.failure(1002)) }
        if opcode < 8, length > UInt64(self.limit - (self.open?.bytes.count ?? 0)) { return self.end(.failure(1009)) }
        let mask = self.isMasked ? Array(bytes[head - 4..<head]) : [0]
        let there = bytes[head...].prefix(Int(length))
        let payload = there.enumerated().map { $0.element ^ mask[$0.offset % mask.count] }
        let isWhole = there.count == Int(length)
        if isWhole { self.rest = self.rest.dropFirst(head + Int(length)) }
        return opcode < 8
            ? self.readData(opcode, payload, isFinal: isFinal && isWhole, isWhole: isWhole)
            : isWhole && self.readControl(opcode, payload)
    }

    private mutating func readData(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool, isWhole: Bool) -> Bool {
        var message = self.open ?? (isText: opcode == 1, bytes: [])
        message.bytes += payload
        if message.isText, !Self.isText(message.bytes, isWhole: isFinal) { return self.end(.failure(1007)) }
        if isFinal { self.events.append(.message(message.bytes, isText: message.isText)) }
        if isWhole { self.open = isFinal ? nil : message }
        return isWhole
    }

    private mutating func readControl(_ opcode: UInt8, _ payload: [UInt8]) -> Bool {
        switch opcode {
        case 9: self.events.append(.ping(payload))
        case 10: self.events.append(.pong)
        default: return self.readClose(payload)
        }
        return true
    }

    private mutating func readClose(_ payload: [UInt8]) -> Bool {
        if payload.isEmpty { return self.end(.close(nil, "")) }
        guard payload.count >= 2 else { return self.end(.failure(1002)) }
        let code = UInt16(payload[0]) * 256 + UInt16(payload[1])
        let registered: [UInt16] = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
        guard registered.contains(code) || (3000...4999).contains(code) else { return self.end(.failure(1002)) }
        guard Self.isText(Array(payload[2...]), isWhole: true) else { return self.end(.failure(1007)) }
        return self.end(.close(code, String(decoding: payload[2...], as: UTF8.self)))
    }

    /// Whether the bytes are UTF-8, or can become it with up to three more bytes.
    private static func isText(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        if String(validating: bytes, as: UTF8.self) != nil { return true }
        if isWhole { return false }
        let next: [UInt8] = [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf]
        return next.contains { one in
            [[one], [one, 0x80], [one, 0x80, 0x80]].contains { String(validating: bytes + $0, as: UTF8.self) != nil }
        }
    }
}
