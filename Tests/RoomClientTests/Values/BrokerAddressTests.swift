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
        #expect(address.webSocketPath == nil)
    }

    @Test(arguments: [
        ("ws://localhost:10001", "localhost", 10_001, "/v3/websocket"),
        ("WS://localhost/", "localhost", 80, "/v3/websocket"),
        ("wss://rooms.example", "rooms.example", 443, "/v3/websocket"),
        ("wss://[::1]/chat/a%20b", "::1", 443, "/chat/a%20b"),
        ("wss://rooms.example:8443/ws?key=%26&b=", "rooms.example", 8_443, "/ws?key=%26&b="),
        ("wss://rooms.example?key=1", "rooms.example", 443, "/v3/websocket?key=1"),
    ])
    func `a URL of a WebSocket also says the path`(text: String, host: String, port: Int, path: String) throws {
        let address = try BrokerAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.usesTLS == text.lowercased().hasPrefix("wss"))
        #expect(address.webSocketPath == path)
    }

    @Test(arguments: [
        "", "localhost", "localhost:7000", "//localhost", "tcp:", "tcp://", "tcp://:7000", "tcp:localhost",
        "http://localhost", "https://localhost", "ws://", "wss:localhost", "ws://:80", "ws://ann@localhost",
        "ws://localhost#a", "wss://localhost:0/", "ws://local%0d%0ahost", "tcp://local%20host", "tcp://localhost:0",
        "tcp://localhost:65536", "tcp://localhost:-1",
        "tcp://localhost:seven", "tcp://ann@localhost", "tcp://ann:secret@localhost", "tcp://localhost/room",
        "tcp://localhost?a=b", "tcp://localhost#a", "tcp://local host", "tcp://[::1", "tcp://[]",
    ])
    func `what is not a URL of a broker is refused, with an example of one`(text: String) {
        #expect {
            try BrokerAddress(text)
        } throws: { error in
            let error = error as? RoomClientError
            return error?.code == .invalidURL && error?.message.contains("tcp://localhost:10000") == true
        }
    }
}
