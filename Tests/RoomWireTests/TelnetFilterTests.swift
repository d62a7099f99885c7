import NIOCore
import Testing

@testable import RoomWire

/// RFC 854, whole and in pieces.
struct TelnetFilterTests {
    private static func text(in pieces: [[UInt8]]) -> [UInt8] {
        var filter = TelnetFilter()
        return pieces.flatMap { Array(filter.text(in: ByteBuffer(bytes: $0)).readableBytesView) }
    }

    static let cases: [(bytes: [UInt8], text: [UInt8])] = [
        (Array("hello\r\n".utf8), Array("hello\r\n".utf8)),
        (Array("a\r\0b\0\0".utf8), Array("a\r\nb\0\0".utf8)),
        ([0x61, 255, 255, 0x62], [0x61, 255, 0x62]),
        ([0x61, 255, 251, 1, 255, 252, 255, 255, 253, 24, 255, 254, 13, 0x62], [0x61, 0x62]),
        ([255, 250, 24, 0, 255, 255, 10, 255, 240, 0x61], [0x61]),
        ([255, 250, 24, 255, 250, 1, 255, 240, 0x61], [0x61]),
        ([255, 241, 255, 244, 255, 240, 0x61], [0x61]),
        ([255, 0x61, 255, 13, 0], [255, 0x61, 255, 13, 10]),
        ([13, 255, 241, 0], [13, 0]), ([0x61, 255, 254, 10, 0x62], [0x61, 255, 10, 0x62]),
        ([255], []), ([255, 251], []), ([255, 250, 1, 255], []), ([], []),
    ]

    @Test(arguments: Self.cases)
    func `only the text is left`(bytes: [UInt8], text: [UInt8]) {
        #expect(Self.text(in: [bytes]) == text)
    }

    @Test(arguments: Self.cases)
    func `it is the same wherever the network cuts`(bytes: [UInt8], text: [UInt8]) {
        #expect(Self.text(in: bytes.map { [$0] }) == text)
        for cut in bytes.indices { #expect(Self.text(in: [Array(bytes[..<cut]), Array(bytes[cut...])]) == text) }
    }

    @Test func `a subnegotiation without an end swallows only so much`() {
        let long = [UInt8](repeating: 0x61, count: TelnetFilter.longestSubnegotiation + 1)
        #expect(Self.text(in: [[255, 250] + long, Array("bc".utf8)]) == Array("bc".utf8))
    }
}
