import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomTransport

/// The header by itself: both versions, whole and cut short, and what is none.
struct ProxyHeaderTests {
    static let signature: [UInt8] = Array("\r\n\r\n".utf8) + [0] + Array("\r\nQUIT\n".utf8)

    /// A header of version 2.
    ///
    /// - Parameter length: other than that of the block, to lie about it.
    static func binary(_ command: UInt8, _ family: UInt8, _ block: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? block.count
        return self.signature + [command, family, UInt8(length >> 8), UInt8(length & 0xff)] + block
    }

    static let ports: [UInt8] = [0xdc, 0x04, 0x01, 0xbb]
    static let ipv4: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1] + ports
    static let ipv6: [UInt8] =
        [0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 9, count: 16) + ports
    static let unix = Array(repeating: UInt8(ascii: "/"), count: 216)
    /// A type, a length and so many bytes: an authority, and a checksum that is wrong.
    static let values: [UInt8] = [0x02, 0, 4] + Array("room".utf8) + [0x03, 0, 4, 1, 2, 3, 4]

    static let mapped: [UInt8] =
        Array(repeating: 0, count: 10) + [0xff, 0xff, 192, 0, 2, 1] + Array(repeating: 0, count: 16) + ports

    static let good: [(bytes: [UInt8], client: String?)] = [
        (Array("PROXY TCP4 192.0.2.1 10.0.0.1 56324 10000\r\n".utf8), "192.0.2.1"),
        (Array("PROXY TCP4 255.255.255.255 255.255.255.255 65535 0\r\n".utf8), "255.255.255.255"),
        (Array("PROXY TCP6 2001:DB8::1 ::1 1 2\r\n".utf8), "2001:db8::1"),
        (Array("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n".utf8), "192.0.2.1"),
        (
            Array(
                "PROXY TCP6 2001:0db8:0001:0001:0001:0001:0001:0001 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n"
                    .utf8
            ), "2001:db8:1:1:1:1:1:1"
        ),
        (Array("PROXY UNKNOWN\r\n".utf8), nil),
        (Array("PROXY UNKNOWN \(String(repeating: "x", count: 91))\r\n".utf8), nil),
        (binary(0x21, 0x11, ipv4), "192.0.2.1"),
        (binary(0x21, 0x11, ipv4 + values), "192.0.2.1"),
        (binary(0x21, 0x11, ipv4 + [0x04, 0xff, 0xff]), "192.0.2.1"),
        (binary(0x21, 0x21, ipv6 + values), "2001:db8::1"),
        (binary(0x21, 0x21, mapped), "192.0.2.1"),
        (binary(0x21, 0x12, ipv4), nil),
        (binary(0x21, 0x22, ipv6), nil),
        (binary(0x21, 0x31, unix + values), nil),
        (binary(0x21, 0x00, []), nil),
        (binary(0x21, 0x00, values), nil),
        (binary(0x20, 0x00, []), nil),
        (binary(0x20, 0x11, ipv4), nil),
        (binary(0x20, 0xff, values), nil),
        (binary(0x21, 0x11, ipv4 + Array(repeating: 0, count: 4_084)), "192.0.2.1"),
    ]

    @Test(arguments: good)
    func `a header is read, however much of it and behind it has come`(bytes: [UInt8], client: String?) throws {
        let header = try client.map { ProxyHeader.client(try #require(IPAddress($0))) } ?? .proxyItself
        for count in bytes.indices {
            #expect(ProxyHeader.read(ByteBuffer(bytes: bytes[..<count])) == .needsMore, "\(count) bytes")
        }
        for rest in ["", "{", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r\n", "\u{16}\u{3}"] {
            #expect(
                ProxyHeader.read(ByteBuffer(bytes: bytes + Array(rest.utf8))) == .header(header, length: bytes.count)
            )
        }
    }

    static let bad: [[UInt8]] =
        [
            "PROXY\r\n", "PROXY \r\n", "PROXY TCP4\r\n", "proxy TCP4 192.0.2.1 10.0.0.1 1 2\r\n", "PROXYTCP4",
            "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\n", "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\r\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\r{",
            "PROXY  TCP4 192.0.2.1 10.0.0.1 1 2\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 1 2 \r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 1\r\n",
            "PROXY TCP4 192.0.2.01 10.0.0.1 1 2\r\n", "PROXY TCP4 192.0.2.256 10.0.0.1 1 2\r\n",
            "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 192.0.2.1 10.0.0.1 1 2\r\n", "PROXY TCP4 192.0.2.1 ::1 1 2\r\n",
            "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 01 2\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 65536 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 -1 2\r\n",
            "PROXY UDP4 192.0.2.1 10.0.0.1 1 2\r\n", "PROXY unknown\r\n",
            "PROXY UNKNOWN \(String(repeating: "x", count: 92))\r\n",
            "PROXY TCP4 \(String(repeating: "1", count: 200))", "{\"type\":\"ping\"}\n", "GET / HTTP/1.1\r\n",
            "\u{16}\u{3}\u{1}", "\r\n\r\n\r",
            "\n", " PROXY UNKNOWN\r\n",
        ].map { Array($0.utf8) } + [
            binary(0x11, 0x11, ipv4), binary(0x22, 0x11, ipv4), binary(0x2f, 0x00, []),
            binary(0x21, 0x11, Array(ipv4.dropLast())),
            binary(0x21, 0x21, ipv4), binary(0x21, 0x31, Array(unix.dropLast())), binary(0x21, 0x13, ipv4),
            binary(0x21, 0x41, ipv6),
            binary(0x21, 0x11, [], length: 4_097), binary(0x20, 0x00, [], length: 65_535),
        ]

    @Test(arguments: bad)
    func `what is no header is refused`(bytes: [UInt8]) {
        guard case .invalid = ProxyHeader.read(ByteBuffer(bytes: bytes)) else {
            Issue.record("\(ByteBuffer(bytes: bytes))")
            return
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `damaged headers never trap, and never ask for more than they may`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var bytes = Self.good[random.below(Self.good.count)].bytes
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            switch ProxyHeader.read(ByteBuffer(bytes: bytes)) {
            case .header(_, let length): #expect(length <= bytes.count, "seed \(seed)")
            case .invalid: break
            case .needsMore:
                let more = bytes + Array(repeating: 0, count: 16 + 4_096)
                #expect(ProxyHeader.read(ByteBuffer(bytes: more)) != .needsMore, "seed \(seed)")
            }
        }
    }
}
