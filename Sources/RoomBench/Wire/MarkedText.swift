import NIOCore

/// The text that is published: a number, and a filler up to the wanted size.
package struct MarkedText: Equatable, Sendable {
    /// The number takes ten digits; what is shorter has no room for it.
    package static let shortest = 10

    private let filler: String
    private let fillerSize: Int

    /// - Parameter size: bytes of the text, at least ``shortest``.
    init(size: Int) {
        self.fillerSize = max(size - Self.shortest, 0)
        self.filler = String(repeating: "x", count: self.fillerSize)
    }

    /// The text of the message with this number, as JSON.
    func json(_ number: Int) -> ByteBuffer {
        let digits = "\(number)"
        let zeros = String(repeating: "0", count: max(Self.shortest - digits.count, 0))
        return ByteBuffer(string: "\"\(zeros)\(digits)\(self.filler)\"")
    }

    /// The number of a message, from the end of its frame: `message` is the last field.
    ///
    /// - Parameter end: the offset behind the frame's last brace.
    /// - Returns: `nil` if no text of this size is there.
    func number(inFrameTo end: Int, of bytes: UnsafeRawBufferPointer) -> Int? {
        let start = end - Self.tail - self.fillerSize - Self.shortest
        guard start > 0, bytes[start - 1] == UInt8(ascii: "\"") else { return nil }
        var number = 0
        for byte in bytes[start..<start + Self.shortest] {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// The quote at the end of the text, and the brace at the end of the frame.
    private static let tail = 2
}
