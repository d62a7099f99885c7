import RoomModel
import Testing

struct ForwardedForTests {
    private static let trusted = ["127.0.0.0/8", "10.0.0.0/8"].compactMap { AddressRange($0) }

    @Test(
        arguments: [
            // a stranger's word is not taken
            ("203.0.113.9", ["192.0.2.1"], "203.0.113.9"),
            ("127.0.0.1", [], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
            // what stands left of the first untrusted one is what that one claims
            ("127.0.0.1", ["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", ["198.51.100.7", "192.0.2.1, 10.0.0.9"], "192.0.2.1"),
            ("127.0.0.1", ["192.0.2.1", "10.1.1.1", "10.0.0.9"], "192.0.2.1"),
            // all of ours: the request comes from within
            ("127.0.0.1", ["10.0.0.5, 10.0.0.9"], "10.0.0.5"),
            // written with a port, as some do
            ("127.0.0.1", [" 192.0.2.1:4711 "], "192.0.2.1"),
            ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
            ("127.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
            ("127.0.0.1", ["2001:db8::1"], "2001:db8::1"),
            ("127.0.0.1", ["::ffff:192.0.2.1"], "192.0.2.1"),
            // unreadable: the last proxy that could be read
            ("127.0.0.1", ["192.0.2.1, unknown"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1,"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1, nonsense, 10.0.0.9"], "10.0.0.9"),
            ("127.0.0.1", ["192.0.2.1:99999"], "127.0.0.1"),
            ("127.0.0.1", ["[192.0.2.1"], "127.0.0.1"),
            ("127.0.0.1", [""], "127.0.0.1"),
        ]
    )
    func `the right-most stranger is the client`(peer: String, headers: [String], client: String) {
        let found = ForwardedFor.client(headers, peer: IPAddress(peer), trusted: Self.trusted)
        #expect(found == IPAddress(client))
    }

    @Test func `a peer without an address has none, whatever it says`() {
        #expect(ForwardedFor.client(["192.0.2.1"], peer: nil, trusted: Self.trusted) == nil)
    }
}
