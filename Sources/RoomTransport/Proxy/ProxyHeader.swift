import NIOCore
import RoomModel

/// The client that a proxy speaks for, as it says at the start of a connection: the PROXY protocol, version 1 and 2
/// (haproxy.org, proxy-protocol.txt).
enum ProxyHeader: Equatable, Sendable {
    /// The proxy speaks for itself (a health check), or for somebody without an IP address.
    case proxyItself
    case client(IPAddress)

    enum Reading: Equatable, Sendable {
        case needsMore
        /// `length` bytes are the header; what follows is the client's.
        case header(ProxyHeader, length: Int)
        case invalid(String)
    }

    /// Reads the header at the start of what has come so far.
    static func read(_ bytes: ByteBuffer) -> Reading {
        let view = bytes.readableBytesView
        if view.starts(with: self.signature) { return self.readBinary(bytes) }
        if view.starts(with: self.word) { return self.readLine(view) }
        if self.signature.starts(with: view) || self.word.starts(with: view) { return .needsMore }
        return .invalid("it begins with something else than a PROXY header")
    }

    // MARK: Version 1

    private static let word = Array("PROXY ".utf8)
    /// With its CR LF.
    private static let longestLine = 107

    private static func readLine(_ bytes: ByteBufferView) -> Reading {
        let head = bytes.prefix(self.longestLine)
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        guard let end = head.firstIndex(where: { $0 == cr || $0 == lf }), head[end] == lf || end + 1 < head.endIndex
        else {
            let isFull = head.count == self.longestLine
            return isFull ? .invalid("its PROXY line is longer than \(self.longestLine) bytes") : .needsMore
        }
        guard head[end] == cr, head[end + 1] == lf else { return .invalid("its PROXY line does not end with CR LF") }
        guard let header = self.header(ofLine: head[..<end]) else {
            return .invalid("its PROXY line is not as version 1 of the protocol has it")
        }
        return .header(header, length: end + 2 - head.startIndex)
    }

    private static func header(ofLine line: ByteBufferView) -> ProxyHeader? {
        let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count > 1 else { return nil }
        let family = String(decoding: fields[1], as: UTF8.self)
        if family == "UNKNOWN" { return .proxyItself }
        guard fields.count == 6, let source = self.address(fields[2], family), self.address(fields[3], family) != nil,
            fields[4...].allSatisfy({ DecimalNumber.read($0, upTo: 65_535) != nil })
        else { return nil }
        return .client(source)
    }

    private static func address(_ field: ByteBufferView, _ family: String) -> IPAddress? {
        let isIPv6 = field.contains(UInt8(ascii: ":"))
        guard family == (isIPv6 ? "TCP6" : "TCP4"), !field.contains(UInt8(ascii: "%")) else { return nil }
        return IPAddress(String(decoding: field, as: UTF8.self))
    }

    // MARK: Version 2

    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    private static let fixedLength = 16
    /// The most bytes of addresses and further values. The protocol allows 65,535; senders keep all within 536.
    private static let longestBlock = 4_096

    private static func readBinary(_ bytes: ByteBuffer) -> Reading {
        let start = bytes.readerIndex
        guard let command = bytes.getInteger(at: start + 12, as: UInt8.self),
            let family = bytes.getInteger(at: start + 13, as: UInt8.self),
            let length = bytes.getInteger(at: start + 14, as: UInt16.self).map(Int.init)
        else { return .needsMore }
        guard length <= self.longestBlock else {
            return .invalid("its PROXY header has \(length) bytes, more than \(self.longestBlock)")
        }
        guard command == 0x20 || command == 0x21 else {
            return .invalid("its PROXY header has a version or command that is not known")
        }
        guard let block = bytes.getSlice(at: start + self.fixedLength, length: length) else { return .needsMore }
        guard let header = command == 0x20 ? .proxyItself : self.header(of: block, family: family) else {
            return .invalid("its PROXY header has addresses that are not known or not whole")
        }
        return .header(header, length: self.fixedLength + length)
    }

    /// - Parameters:
    ///   - block: addresses and ports; the values behind them are passed over, a checksum among them.
    ///   - family: of the address in the upper half, of the transport in the lower.
    private static func header(of block: ByteBuffer, family: UInt8) -> ProxyHeader? {
        let start = block.readerIndex
        guard family & 0x0f <= 2 else { return nil }
        let isStream = family & 0x0f == 1
        switch family >> 4 {
        case 0: return .proxyItself
        case 1:
            guard block.readableBytes >= 12, let bits = block.getInteger(at: start, as: UInt32.self) else { return nil }
            return isStream ? .client(IPAddress(v4: bits)) : .proxyItself
        case 2:
            guard block.readableBytes >= 36, let high = block.getInteger(at: start, as: UInt64.self),
                let low = block.getInteger(at: start + 8, as: UInt64.self)
            else { return nil }
            return isStream ? .client(IPAddress(high: high, low: low)) : .proxyItself
        case 3: return block.readableBytes >= 216 ? .proxyItself : nil
        default: return nil
        }
    }
}
