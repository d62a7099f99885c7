package import NIOCore

/// Writes WebSocket frames: each is final and has the shortest head.
package enum WebSocketFrameWriter {
    /// The bytes of the head of an unmasked frame whose payload has so many bytes.
    package static func headSize(payload: Int) -> Int { payload < 126 ? 2 : payload <= 0xffff ? 4 : 10 }

    /// Writes the head of a frame that a server sends.
    package static func writeHead(_ opcode: WebSocketOpcode, payload: Int, into buffer: inout ByteBuffer) {
        self.writeHead(opcode, payload: payload, maskBit: 0, into: &buffer)
    }

    private static func writeHead(
        _ opcode: WebSocketOpcode,
        payload: Int,
        maskBit: UInt8,
        into buffer: inout ByteBuffer
    ) {
        let first = 0x80 | opcode.rawValue
        if payload < 126 {
            buffer.writeMultipleIntegers(first, maskBit | UInt8(payload))
        } else if payload <= 0xffff {
            buffer.writeMultipleIntegers(first, maskBit | 126, UInt16(payload))
        } else {
            buffer.writeMultipleIntegers(first, maskBit | 127, UInt64(payload))
        }
    }

    /// Appends a frame whose payload is what `write` appends.
    ///
    /// - Parameter mask: a client has to have one, which others cannot guess; a server has none.
    package static func write(
        _ opcode: WebSocketOpcode,
        mask: WebSocketMask? = nil,
        into buffer: inout ByteBuffer,
        payload write: (inout ByteBuffer) -> Void
    ) {
        // most frames have a head of this size: then the payload stays where it is
        let expected = mask == nil ? 4 : 8
        let start = buffer.writerIndex
        buffer.writeRepeatingByte(0, count: expected)
        write(&buffer)
        let payload = buffer.writerIndex - start - expected
        let size = self.headSize(payload: payload) + (mask == nil ? 0 : 4)
        if size > expected { buffer.writeRepeatingByte(0, count: size - expected) }
        buffer.withVeryUnsafeMutableBytes { bytes in
            let from = UnsafeRawBufferPointer(rebasing: bytes[start + expected..<start + expected + payload])
            let to = UnsafeMutableRawBufferPointer(rebasing: bytes[start + size..<start + size + payload])
            if size != expected { to.copyMemory(from: from) }
            mask?.apply(to: UnsafeRawBufferPointer(to), into: to)
        }
        buffer.moveWriterIndex(to: start)
        self.writeHead(opcode, payload: payload, maskBit: mask == nil ? 0 : 0x80, into: &buffer)
        if let mask { buffer.writeInteger(mask.key, endianness: .little) }
        buffer.moveWriterIndex(to: start + size + payload)
    }

    /// Where the frame ends that starts at `start`, if it has a whole head: of the frames that this type wrote without a
    /// mask.
    package static func end(ofFrameAt start: Int, in buffer: ByteBuffer) -> Int? {
        guard let short = buffer.getInteger(at: start + 1, as: UInt8.self) else { return nil }
        switch short {
        case 126: return buffer.getInteger(at: start + 2, as: UInt16.self).map { start + 4 + Int($0) }
        case 127: return buffer.getInteger(at: start + 2, as: UInt64.self).map { start + 10 + Int($0) }
        default: return start + 2 + Int(short)
        }
    }
}
