import NIOCore
import RoomJSON
import RoomWire

/// Counts the messages in what a connection reads, without decoding them: a generator that decodes is slower than the broker
/// that it measures. It finds the ends of the frames, and tells a message and an acknowledgement by their first fields. All
/// other frames come out whole.
struct FrameScanner {
    struct Result: Equatable {
        var deliveries = 0
        var acknowledgements = 0
        var others: [Other] = []
    }

    enum Other: Equatable {
        /// Without its newline, or the payload of its WebSocket frame.
        case frame(ByteBuffer)
        /// A ping of the WebSocket, which has to be answered.
        case ping(ByteBuffer)
        /// The broker closes the WebSocket.
        case close
        /// The bytes that have come are no frame of a broker's.
        case fault
    }

    private let isWebSocket: Bool
    private let text: MarkedText?
    private var unfinished = ByteBuffer()
    /// The numbers of the messages of the last scan, where they are read.
    private(set) var markers: [Int] = []

    /// - Parameter text: what is published, if the number of each message is to be read.
    init(isWebSocket: Bool, reading text: MarkedText? = nil) {
        self.isWebSocket = isWebSocket
        self.text = text
    }

    mutating func scan(_ bytes: ByteBuffer) -> Result {
        var result = Result()
        self.markers.removeAll(keepingCapacity: true)
        var input = bytes
        if self.unfinished.readableBytes > 0 {
            self.unfinished.writeImmutableBuffer(bytes)
            input = self.unfinished
            self.unfinished = ByteBuffer()
        }
        let used = input.withUnsafeReadableBytes { self.walk($0, input, &result) }
        input.moveReaderIndex(forwardBy: used)
        if input.readableBytes > 0 {
            if self.canGoOn(input) {
                // A copy of its own size: the read buffer is used again.
                self.unfinished.writeBuffer(&input)
            } else {
                result.others.append(.fault)
            }
        }
        return result
    }
}

/// The bytes are read where they are, and their frames not even sliced: at some millions of messages a second, each access
/// through a buffer would be noticed.
extension FrameScanner {
    /// Counts all whole frames.
    ///
    /// - Returns: how many bytes they are.
    private mutating func walk(_ bytes: UnsafeRawBufferPointer, _ input: ByteBuffer, _ result: inout Result) -> Int {
        var start = 0
        if self.isWebSocket {
            while let frame = Self.webSocketFrame(at: start, of: bytes) {
                self.count(frame.opcode, frame.payload, of: bytes, input, &result)
                start = frame.payload.upperBound
            }
        } else {
            while let length = bytes.slice(start..<bytes.count).firstOffset(of: UInt8(ascii: "\n")) {
                self.count(.text, start..<start + length, of: bytes, input, &result)
                start += length + 1
            }
        }
        return start
    }

    /// The frame that begins here, if it has come whole: a server's has no mask.
    private static func webSocketFrame(
        at start: Int,
        of bytes: UnsafeRawBufferPointer
    ) -> (opcode: WebSocketOpcode, payload: Range<Int>)? {
        guard bytes.count - start >= 2, self.canBegin(with: bytes[start], bytes[start + 1]),
            let opcode = WebSocketOpcode(rawValue: bytes[start] & 0x0f)
        else { return nil }
        let (short, body) = (Int(bytes[start + 1]), start + 2)
        switch short {
        case 0..<126: return self.payload(opcode, body, short, of: bytes)
        case 126:
            guard bytes.count - body >= 2 else { return nil }
            let length = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: body, as: UInt16.self))
            return self.payload(opcode, body + 2, Int(length), of: bytes)
        default:
            guard bytes.count - body >= 8 else { return nil }
            let length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: body, as: UInt64.self))
            return self.payload(opcode, body + 8, Int(clamping: length), of: bytes)
        }
    }

    private static func payload(
        _ opcode: WebSocketOpcode,
        _ start: Int,
        _ length: Int,
        of bytes: UnsafeRawBufferPointer
    ) -> (opcode: WebSocketOpcode, payload: Range<Int>)? {
        length <= bytes.count - start ? (opcode, start..<start + length) : nil
    }

    private mutating func count(
        _ opcode: WebSocketOpcode,
        _ payload: Range<Int>,
        of bytes: UnsafeRawBufferPointer,
        _ input: ByteBuffer,
        _ result: inout Result
    ) {
        guard opcode == .text else { return self.countOther(opcode, payload, input, &result) }
        switch Self.kind(of: payload, in: bytes) {
        case .delivery:
            result.deliveries += 1
            if let number = self.text?.number(inFrameTo: payload.upperBound, of: bytes) { self.markers.append(number) }
        case .acknowledgement: result.acknowledgements += 1
        case .other: result.others.append(.frame(Self.slice(payload, of: input)))
        }
    }

    private func countOther(
        _ opcode: WebSocketOpcode,
        _ payload: Range<Int>,
        _ input: ByteBuffer,
        _ result: inout Result
    ) {
        switch opcode {
        case .ping: result.others.append(.ping(Self.slice(payload, of: input)))
        case .close: result.others.append(.close)
        case .binary, .continuation: result.others.append(.fault)
        case .pong, .text: break
        }
    }

    private static func slice(_ payload: Range<Int>, of input: ByteBuffer) -> ByteBuffer {
        input.getSlice(at: input.readerIndex + payload.lowerBound, length: payload.count) ?? ByteBuffer()
    }

    /// Whether what has begun can be a frame: otherwise its end is not waited for.
    private func canGoOn(_ rest: ByteBuffer) -> Bool {
        guard rest.readableBytes <= Self.longest else { return false }
        guard self.isWebSocket else { return true }
        guard let (first, second) = rest.getMultipleIntegers(at: rest.readerIndex, as: (UInt8, UInt8).self) else {
            return true
        }
        return Self.canBegin(with: first, second)
    }

    /// Whether these are the first bytes of a whole message of a server.
    private static func canBegin(with first: UInt8, _ second: UInt8) -> Bool {
        first & self.reservedBits == 0 && WebSocketOpcode(rawValue: first & 0x0f) != nil && second & self.maskBit == 0
    }

    /// They belong to extensions, and none is asked for.
    private static let reservedBits: UInt8 = 0x70
    /// Clients have it, and servers must not (RFC 6455 §5.1).
    private static let maskBit: UInt8 = 0x80
    /// Above the largest message that can be asked for, with what is around it.
    private static let longest = 2 * 1024 * 1024
}

extension FrameScanner {
    private enum Kind {
        case delivery, acknowledgement, other
    }

    private static func kind(of place: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Kind {
        guard place.count >= 16 else { return .other }
        let head = self.word(at: place.lowerBound, of: bytes)
        if head == self.typeField {
            return self.word(at: place.lowerBound + 8, of: bytes) == self.publishType ? .delivery : .other
        }
        return head == self.callbackField && self.isAcknowledgement(place, bytes) ? .acknowledgement : .other
    }

    /// `{"callback":7,"seq":…` and `{"callback":7,"id":…`; other answers and errors have another field there.
    private static func isAcknowledgement(_ place: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // As far as the longest number goes.
        let front = bytes.slice(place.lowerBound..<min(place.lowerBound + 40, place.upperBound))
        guard let comma = front.firstOffset(of: UInt8(ascii: ",")) else { return false }
        let rest = bytes.slice(place.lowerBound + comma + 1..<place.upperBound)
        return rest.count >= 6 && (rest.slice(0..<6).equals("\"seq\":") || rest.slice(0..<5).equals("\"id\":"))
    }

    private static func word(at offset: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    // Eight characters each, the first in the lowest byte, to be compared at once.
    /// `{"type":`
    private static var typeField: UInt64 { 0x3a22_6570_7974_227b }
    /// `"publish`
    private static var publishType: UInt64 { 0x6873_696c_6275_7022 }
    /// `{"callba`
    private static var callbackField: UInt64 { 0x6162_6c6c_6163_227b }
}
