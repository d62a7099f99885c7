import NIOCore
import RoomTransport
import Testing

struct OpeningBytesTests {
    @Test(
        arguments: [
            (#"{"type""#, OpeningBytes.json(skip: 0)),
            ("  \r\n\t{", .json(skip: 5)),
            ("\u{feff}{", .json(skip: 3)),
            ("\u{feff} {", .json(skip: 4)),
            ("hello", .text(skip: 0)),
            ("\n hello", .text(skip: 2)),
            ("\u{feff}hello", .text(skip: 3)),
            ("Get up\n", .text(skip: 0)),
            ("GET up\n", .text(skip: 0)),
            ("GET up and go home now\n", .text(skip: 0)),
            ("GET / HTTP/1.1\r\n", .http),
            ("POST /x HTTP/1.1\r\nHost: a\r\n\r\n{}", .http),
            ("\r\nOPTIONS * HTTP/1.0\r\n", .http),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n", .http),
            ("\u{16}\u{3}\u{1}", .tls),
            ("\u{16}\u{3}", .tls),
            ("\u{16}x", .text(skip: 0)),
            ("[1]", .text(skip: 0)),
        ] as [(String, OpeningBytes)]
    )
    func `the first bytes say what speaks`(bytes: String, expected: OpeningBytes) {
        #expect(OpeningBytes(ByteBuffer(string: bytes), paused: false) == expected)
        #expect(OpeningBytes(ByteBuffer(string: bytes), paused: true) == expected)
    }
}
