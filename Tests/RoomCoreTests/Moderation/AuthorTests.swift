import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// Whose messages slow-mode counts together.
struct AuthorTests {
    private static func author(_ user: String?, _ client: String?, _ address: String?) -> Author {
        Author(
            SanctionedPerson(
                user: user,
                client: client.map { ClientID($0) },
                address: address.flatMap { IPAddress($0) }
            )
        )
    }

    @Test func `a user is one on any connection, everybody else of an address too`() {
        #expect(Self.author("bob", "c1", "192.0.2.1") == Self.author("bob", nil, "192.0.3.1"))
        #expect(Self.author(nil, "c1", "192.0.2.1") == Self.author(nil, "c2", "192.0.2.1"))
        #expect(Self.author(nil, "c1", "192.0.2.1") != Self.author(nil, "c1", "192.0.2.2"))
        #expect(Self.author(nil, "c1", "2001:db8::1") == Self.author(nil, nil, "2001:db8::2"))
    }

    @Test(arguments: [nil, "127.0.0.1", "::1"])
    func `of this machine each connection is one`(address: String?) {
        #expect(Self.author(nil, "c1", address) == .client(ClientID("c1")))
        #expect(Self.author(nil, nil, address) == .local)
    }
}
