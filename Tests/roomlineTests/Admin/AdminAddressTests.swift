import RoomAdmin
import Testing

@testable import roomline

@Suite struct AdminAddressTests {
    private static let home = ["HOME": "/home/luke"]

    private func address(
        socket: String? = nil,
        data: String? = nil,
        server: String? = nil,
        _ environment: [String: String] = home
    ) throws -> AdminAddress {
        try AdminAddress(socket: socket, data: data, server: server, environment: environment)
    }

    @Test func `the socket is where the broker has it`() throws {
        #expect(try self.address() == .socket("/home/luke/.local/share/roomline/admin.sock"))
        #expect(try self.address(data: "/var/x/") == .socket("/var/x/admin.sock"))
        #expect(try self.address(socket: "a.sock") == .socket("a.sock"))
        #expect(try self.address(["ROOMLINE_DATA": "/d"]) == .socket("/d/admin.sock"))
        #expect(try self.address(["ROOMLINE_ADMIN_SOCKET": "/s", "ROOMLINE_DATA": "/d"]) == .socket("/s"))
        #expect(try self.address(data: "/var/x", ["ROOMLINE_ADMIN_SOCKET": "/s"]) == .socket("/var/x/admin.sock"))
    }

    @Test func `without a home somebody has to say where it is`() {
        #expect(throws: CommandFailure.self) { try self.address([:]) }
    }

    @Test(arguments: [
        "https://a.example", "https://a.example:8443/", "http://127.0.0.1:80", "http://[::1]:80", "http://localhost:1",
    ])
    func `a server is named by its URL`(url: String) throws {
        let bare = url.hasSuffix("/") ? String(url.dropLast()) : url
        #expect(try self.address(server: url).description == bare)
    }

    @Test(
        arguments: [
            ("https://a.example", "a.example", 443, true, "a.example"),
            ("https://a.example:8443/", "a.example", 8_443, true, "a.example:8443"),
            ("http://[::1]", "::1", 80, false, "[::1]"), ("http://127.0.0.1:1", "127.0.0.1", 1, false, "127.0.0.1:1"),
        ] as [(String, String, Int, Bool, String)]
    )
    func `a URL says where to connect`(
        url: String,
        host: String,
        port: Int,
        isEncrypted: Bool,
        authority: String
    ) throws {
        let server = try #require(AdminAddress.Server(url))
        #expect(server.host == host && server.port == port && server.isEncrypted == isEncrypted)
        #expect(server.authority == authority)
    }

    @Test(arguments: [
        "a.example", "tcp://127.0.0.1:10000", "http://a.example", "http://10.0.0.1:80", "https://a.example/admin",
        "https://luke@a.example", "https://", "https://a.example?x",
    ])
    func `anything else is refused before a token is sent there`(url: String) {
        #expect(throws: CommandFailure.self) { try self.address(server: url) }
    }
}
