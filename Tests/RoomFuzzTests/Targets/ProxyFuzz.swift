import NIOCore
import RoomModel

@testable import RoomTransport

/// What a PROXY header says does not depend on what comes behind it, nor on how it comes.
enum ProxyFuzz: FuzzTarget {
    static let name = "proxy"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let whole = ProxyHeader.read(bytes.buffer)
        var random = InputRandom(bytes)
        var lengths = (0..<8).map { _ in Int.random(in: 0...bytes.count, using: &random) }
        if case .header(let header, let length) = whole {
            try demand(1...bytes.count ~= length, "a header of \(length) bytes")
            try self.checkRoundTrip(header)
            lengths += [length, length - 1]
        }
        for length in lengths {
            let part = ProxyHeader.read(UnsafeRawBufferPointer(rebasing: bytes[..<length]).buffer)
            switch (part, whole) {
            case (.needsMore, .header(_, let end)): try demand(length < end, "\(length) bytes are not enough")
            case (.header(_, let end), _): try demand(end <= length && part == whole, "more bytes change a header")
            case (.invalid, _): try demand(part == whole, "more bytes mend a header")
            case (.needsMore, _): break
            }
        }
    }

    private static func checkRoundTrip(_ header: ProxyHeader) throws {
        guard case .client(let address) = header else { return }
        let family = address.isIPv4 ? "TCP4" : "TCP6"
        let line = "PROXY \(family) \(address) \(address) 1 65535\r\n"
        let read = ProxyHeader.read(ByteBuffer(string: line))
        try demand(read == .header(header, length: line.utf8.count), "\(line) is \(read)")
    }
}
