import Foundation
import NIOCore
import RoomModel
import RoomTokens
import Testing

@testable import RoomCore

/// What a backend signs, read by the broker's own verifier.
@Suite struct RoomTokenSignerTests {
    private static let secret = "a-secret-of-a-test-of-32-bytes-00"
    private static let now = Date(timeIntervalSince1970: 1_000)

    private static func grant(_ token: String, at now: Int64 = 1_000) throws -> TokenGrant {
        let channel = try #require(ChannelID("shop"))
        let verifier = TokenVerifier(channel: channel, secrets: [ChannelSecret(text: Self.secret)], skew: 0)
        return try verifier.verify(token, now: now)
    }

    private static func signer() throws -> RoomTokenSigner { try RoomTokenSigner(channel: "shop", secret: Self.secret) }

    @Test func `the broker reads what the backend has said`() throws {
        let token = try Self.signer().token(
            for: "luke-1",
            permissions: [
                .all: RoomPermissions(subscribe: true, history: 20),
                .exactly("lobby"): RoomPermissions(publish: true, moderate: true),
                .startingWith("team-"): RoomPermissions(publish: true, history: 5),
                .matching("-7$"): RoomPermissions(publish: false),
            ],
            data: ["id": "luke", "home": "a/b"],
            now: Self.now
        )
        let grant = try Self.grant(token)
        #expect(grant.clientID == "luke-1")
        #expect(grant.expires == 1_300)
        #expect(grant.user == "luke")
        #expect(grant.authData.map { String(buffer: $0) } == #"{"home":"a/b","id":"luke"}"#)
        let rooms = ["lobby", "the-lobby", "team-1", "team-7", "x"].map {
            grant.permissions.permission(for: RoomName($0))
        }
        #expect(
            rooms == [
                RoomPermission(publish: true, subscribe: true, history: 20, moderate: true),
                RoomPermission(subscribe: true, history: 20),
                RoomPermission(publish: true, subscribe: true, history: 5),
                RoomPermission(subscribe: true, history: 5),
                RoomPermission(subscribe: true, history: 20),
            ]
        )
    }

    @Test func `a token for every client has no data and no client`() throws {
        let grant = try Self.grant(Self.signer().token(permissions: [:], expiresIn: .seconds(1), now: Self.now))
        #expect(grant.clientID == nil)
        #expect(grant.authData == nil)
        #expect(grant.expires == 1_001)
        #expect(grant.permissions.permission(for: RoomName("lobby")) == .nothing)
    }

    @Test func `the broker rejects a token that has expired, and one that was changed`() throws {
        let token = try Self.signer().token(permissions: [.all: RoomPermissions(publish: true)], now: Self.now)
        #expect(try Self.grant(token, at: 1_299).expires == 1_300)
        #expect(throws: RequestError.self) { try Self.grant(token, at: 1_300) }
        #expect(throws: RequestError.self) { try Self.grant(token.replacing(".e", with: ".f")) }
        let other = try RoomTokenSigner(channel: "shop", secret: Self.secret + "!").token(
            permissions: [:],
            now: Self.now
        )
        #expect(throws: RequestError.self) { try Self.grant(other) }
    }

    @Test(arguments: [#"a.b"#, #"(x)|[y]{2}*+?"#, #"\d^$"#, "é😀", "two words", "a/b-c"])
    func `a name is taken literally, whatever it contains`(name: String) throws {
        let read = RoomPermissions(subscribe: true)
        let one = try Self.grant(Self.signer().token(permissions: [.exactly(name): read], now: Self.now)).permissions
        #expect(one.permission(for: RoomName(name)).subscribe)
        #expect(!one.permission(for: RoomName(name + "1")).subscribe)
        #expect(!one.permission(for: RoomName("1" + name)).subscribe)
        #expect(!one.permission(for: RoomName("aXb")).subscribe)
        let all = try Self.grant(Self.signer().token(permissions: [.startingWith(name): read], now: Self.now))
            .permissions
        #expect(all.permission(for: RoomName(name)).subscribe)
        #expect(all.permission(for: RoomName(name + "1")).subscribe)
        #expect(!all.permission(for: RoomName("1" + name)).subscribe)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)])
    func `a token for a very long time has no end`(lifetime: Duration) throws {
        let token = try Self.signer().token(permissions: [:], expiresIn: lifetime, now: Self.now)
        #expect(try Self.grant(token).expires >= 253_402_300_799)
    }

    @Test func `what the broker would reject is not signed`() throws {
        let signer = try Self.signer()
        #expect(throws: RoomTokenError.self) { try RoomTokenSigner(channel: "shop", secret: "") }
        #expect(throws: RoomTokenError.self) { try signer.token(permissions: [:], expiresIn: .milliseconds(999)) }
        #expect(throws: RoomTokenError.self) { try signer.token(permissions: [:], data: Double.nan) }
        let long = RoomNames.exactly(String(repeating: "x", count: 1_023))
        #expect(throws: RoomTokenError.self) { try signer.token(permissions: [long: RoomPermissions()]) }
        let many = (0..<257).map { (RoomNames.exactly("\($0)"), RoomPermissions()) }
        #expect(throws: RoomTokenError.self) { try signer.token(permissions: Dictionary(uniqueKeysWithValues: many)) }
        let patterns = (0..<20).map {
            (RoomNames.exactly("\($0)" + String(repeating: "x", count: 1_000)), RoomPermissions())
        }
        #expect(throws: RoomTokenError.self) {
            try signer.token(permissions: Dictionary(uniqueKeysWithValues: patterns))
        }
    }

    @Test func `the bounds are those of the broker`() throws {
        let signer = try Self.signer()
        func data(_ bytes: Int) -> String { String(repeating: "x", count: bytes - 2) }
        #expect(throws: RoomTokenError.self) {
            try signer.token(permissions: [:], data: data(TokenLimits.authData + 1))
        }
        let longest = String(repeating: "x", count: TokenLimits.pattern - 2)
        let names = (0..<TokenLimits.patterns - 1).map { RoomNames.exactly("\($0)") }
        let token = try signer.token(
            permissions: Dictionary(uniqueKeysWithValues: names.map { ($0, RoomPermissions()) })
                .merging([.exactly(longest): RoomPermissions(publish: true)]) { $1 },
            data: data(TokenLimits.authData),
            now: Self.now
        )
        let grant = try Self.grant(token)
        #expect(grant.authData?.readableBytes == TokenLimits.authData)
        #expect(grant.permissions.permission(for: RoomName(longest)).publish)
    }

    @Test func `nothing of the secret is printed`() throws {
        #expect(try "\(Self.signer())" == "(token signer of shop)")
    }
}
