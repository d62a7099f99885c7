import NIOCore
import Testing

@testable import RoomTransport

struct ProtocolDetectorTests {
    private static let decided: [(String, ProtocolDetector)] = [
        (#"{"type""#, .json(skip: 0)), ("  \r\n\t{", .json(skip: 5)), ("\u{feff}{", .json(skip: 3)),
        ("\u{feff} {", .json(skip: 4)), ("hello", .text(skip: 0)), ("\n hello", .text(skip: 2)),
        ("\u{feff}hello", .text(skip: 3)), ("Get up\n", .text(skip: 0)), ("GET up\n", .text(skip: 0)),
        ("GET up and go home now\n", .text(skip: 0)), ("GET / HTTP/1.1\r\n", .http),
        ("POST /x HTTP/1.1\r\nHost: a\r\n\r\n{}", .http), ("\r\nOPTIONS * HTTP/1.0\r\n", .http),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n", .http), ("\u{16}\u{3}\u{1}", .tls), ("\u{16}\u{3}", .tls),
        ("\u{16}x", .text(skip: 0)), ("[1]", .text(skip: 0)), ("é", .text(skip: 0)),
    ]

    @Test(arguments: Self.decided)
    func `the first bytes say what speaks`(bytes: String, expected: ProtocolDetector) {
        #expect(ProtocolDetector(ByteBuffer(string: bytes), paused: false) == expected)
        #expect(ProtocolDetector(ByteBuffer(string: bytes), paused: true) == expected)
    }

    @Test(arguments: Self.decided)
    func `byte by byte they say the same, and nothing wrong before`(bytes: String, expected: ProtocolDetector) {
        var buffer = ByteBuffer()
        for byte in bytes.utf8 {
            buffer.writeInteger(byte)
            let detected = ProtocolDetector(buffer, paused: false)
            if case .undecided = detected { continue }
            #expect(detected == expected)
            return
        }
    }

    @Test(
        arguments: [
            ("", 0, nil), ("  \n", 3, nil), ("\u{feff}", 3, nil), ("GE", 0, .text(skip: 0)),
            ("POST", 0, .text(skip: 0)), ("GET well soon", 0, .text(skip: 0)), ("GET /index.html", 0, .http),
            ("\u{16}", 0, .text(skip: 0)),
        ] as [(String, Int, ProtocolDetector?)]
    )
    func `too little to tell is decided by a pause, or not at all`(bytes: String, skip: Int, paused: ProtocolDetector?)
    {
        let buffer = ByteBuffer(string: bytes)
        #expect(ProtocolDetector(buffer, paused: false) == .undecided(skip: skip))
        #expect(ProtocolDetector(buffer, paused: true) == paused ?? .undecided(skip: skip))
    }
}
