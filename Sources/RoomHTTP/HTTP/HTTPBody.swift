import NIOCore

/// The body of a request, as far as it has come.
///
/// A body that is one part stays where the parser has it. The parts of another one are gathered in a buffer that nobody else
/// has, and that doubles when it is full: the work grows with the bytes, however small the parts are.
struct HTTPBody {
    /// So many parts may be of any size.
    static let parts = 1_000
    /// Bytes that more parts have to have on average.
    static let part = 16

    private(set) var bytes: ByteBuffer?
    private var received = 0

    /// Bytes.
    var count: Int { self.bytes?.readableBytes ?? 0 }

    /// The parts are so many, and so small, that nobody sends them who means a message.
    var isInTinyParts: Bool { self.received > Self.parts && self.count < self.received * Self.part }

    mutating func append(_ part: ByteBuffer) {
        self.received += 1
        switch self.received {
        case 1: self.bytes = part
        case 2:
            // the first part is a slice of what was read, which others have, too
            var own = ByteBuffer()
            if let first = self.bytes { own.writeImmutableBuffer(first) }
            own.writeImmutableBuffer(part)
            self.bytes = own
        default: self.bytes?.writeImmutableBuffer(part)
        }
    }

    /// Gives the whole body, and begins the next one; `nil`: there was none.
    mutating func take() -> ByteBuffer? {
        defer { self = HTTPBody() }
        return self.bytes
    }
}
