import Testing

@testable import RoomClient

struct BrokerAddressTests {
    @Test(arguments: [
        ("tcp://localhost:7000", "localhost", 7_000, false), ("tcp://localhost", "localhost", 10_000, false),
        ("tcp://localhost/", "localhost", 10_000, false), ("tls://rooms.example:443", "rooms.example", 443, true),
        ("TLS://rooms.example", "rooms.example", 10_000, true), ("tcp://127.0.0.1:1", "127.0.0.1", 1, false),
        ("tcp://[::1]:65535", "::1", 65_535, false), ("tls://[2001:db8::1]", "2001:db8::1", 10_000, true),
        ("tcp://localhost:", "localhost", 10_000, false),
    ])
    func `a URL says where the broker is`(text: String, host: String, port: Int, usesTLS: Bool) throws {
        let address = try BrokerAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.usesTLS == usesTLS)
    }

    @Test(arguments: [
        "", "localhost", "localhost:7000", "//localhost", "tcp:", "tcp://", "tcp://:7000", "tcp:localhost",
        "http://localhost", "ws://localhost", "tcp://localhost:0", "tcp://localhost:65536", "tcp://localhost:-1",
        "tcp://localhost:seven", "tcp://ann@localhost", "tcp://ann:secret@localhost", "tcp://localhost/room",
        "tcp://localhost?a=b", "tcp://localhost#a", "tcp://local host", "tcp://[::1", "tcp://[]",
    ])
    func `what is no URL of a broker is refused, with an example of one`(text: String) {
        #expect {
            try BrokerAddress(text)
        } throws: { error in
            let error = error as? RoomClientError
            return error?.code == .invalidURL && error?.message.contains("tcp://localhost:10000") == true
        }
    }
}
