import Testing

@testable import RoomServer

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:10000", "127.0.0.1", 10_000), ("[::1]:0", "::1", 0), ("[fe80::1]:65535", "fe80::1", 65_535),
        ("localhost:80", "localhost", 80), ("a-b.example.org:1", "a-b.example.org", 1),
    ])
    func `an address is read and shown again`(text: String, host: String, port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", ":1", "1", "a", "a:", "a:b", "a:+1", "a:1:", "a:65536", "::1:1", "[::1]", "[::1]:", "[]:1",
        "[1.2.3.4]:1",
        "[::g]:1", "1.2.3:4", "256.1.1.1:1", "-a:1", "a/b:1", "a b:1", "*:1", "ä:1",
    ])
    func `anything else is not an address`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.8.9.10", true), ("::1", true), ("0:0:0:0:0:0:0:1", true), ("LocalHost", true),
        ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("::ffff:127.0.0.1", false), ("localhost.evil", false),
    ])
    func `only this machine is loopback`(host: String, isLoopback: Bool) {
        #expect(ListenAddress(host: host, port: 1).isLoopback == isLoopback)
    }
}
