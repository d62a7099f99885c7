import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomMetrics
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomHTTP
@testable import RoomModel

@Suite struct RESTAPITests {
    private static let id = UniqueID(milliseconds: 1_700_000_000_999, sequence: 0, random: 0)
    private static let stranger = HTTPPeer(transport: .tcp, address: IPAddress("192.0.2.1"), isLocal: false)

    private let rooms = FakeRooms()
    private let work = RequestWork()
    private let time = NIOLockedValueBox<UInt64>(0)
    private let sanctions = NIOLockedValueBox<[Sanction]>([])

    private func call(
        _ path: String,
        _ method: HTTPMethod = .POST,
        body: String = "1",
        headers: HTTPHeaders = [:],
        authentication: Authentication = .none,
        logins: FailedLogins = FailedLogins()
    ) async throws -> (response: HTTPResponse, body: String) {
        let settings = ChannelSettings(id: try #require(ChannelID("talk")), authentication: authentication)
        let channel = RoomChannel(settings: settings, secrets: [ChannelSecret(text: "the secret of the channel")])
        let api = RESTAPI(
            rooms: self.rooms,
            moderation: self.moderation(of: settings.id),
            channels: { $0 == "talk" ? channel : nil },
            limits: FrameLimits(),
            clientCount: { _ in 3 },
            logins: logins,
            clock: HTTPClock(unixSeconds: { 1_700_000_000 }, uptime: { [time] in time.withLockedValue(\.self) })
        )
        let request = HTTPRequest.make(method, path, host: "localhost", headers: headers, body: body)
        var pattern = ""
        let response = await api.respond(to: request, from: Self.stranger, &pattern, charging: self.work)
        return (response, try await response.text)
    }

    private func moderation(of channel: ChannelID) -> ModerationRegistry {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return ModerationRegistry(
            channels: [channel: ChannelModeration(sanctions: self.sanctions.withLockedValue(\.self))],
            directory: FakeDirectory(),
            rooms: FakeModeratedRooms(),
            instruments: ControlBench.instruments(PrometheusRegistry(descriptions: [], logger: logger)),
            events: EventHub(epoch: Epoch(rawValue: 1)),
            clock: { ManualClock.start },
            logger: logger
        )
    }

    private func answer(_ receipt: Result<ExternalPublishReceipt, RequestError>) {
        self.rooms.state.withLockedValue { $0.receipt = receipt }
    }

    private static func basic(_ text: String) -> HTTPHeaders {
        ["Authorization": "Basic " + Data(text.utf8).base64EncodedString()]
    }

    @Test func `a publish is answered with its receipt`() async throws {
        self.answer(.success(ExternalPublishReceipt(id: Self.id, seq: 7)))
        let (response, body) = try await self.call("/talk/lobby/publish", body: "{\n\"a\": 1.0 }\n")
        #expect(response.status == .ok)
        #expect(body == "{\"id\":\"\(Self.id)\",\"seq\":7,\"timestamp\":1700000000}")
        let published = self.rooms.state.withLockedValue(\.published)
        #expect(published.map(\.message) == ["{ \"a\": 1.0 }"])
        #expect(published.first?.sender == .rest)
    }

    @Test func `what publishes cause is charged, and new rooms are counted for the user or address`() async throws {
        self.answer(.success(ExternalPublishReceipt(id: Self.id, seq: 7, caused: 30)))
        _ = try await self.call("/talk/publish/rooms?r=a&r=b&r=c")
        #expect(self.work.take() == 90)
        self.answer(.failure(RequestError(.rateLimited, "why")))
        _ = try await self.call("/talk/publish/rooms?r=a&r=b")
        #expect(self.work.take() == 2 * Work.command)

        let secret = ChannelSecret(text: "the secret of the channel")
        let token = TestToken.make(channel: "talk", expires: 1_000_000_000, data: #"{"id":17}"#, secret: secret)
        let credentials = [Self.basic("talk:the secret of the channel"), ["Authorization": "Bearer \(token)"]]
        for headers in credentials {
            _ = try await self.call("/talk/a/publish", headers: headers, authentication: .optional)
        }
        let address = try #require(IPAddress("192.0.2.1"))
        let user = RoomMaker.user(try #require(ChannelID("talk")), "17")
        let makers = self.rooms.state.withLockedValue(\.publishers).map(\.maker)
        #expect(Set(makers.prefix(6)) == [.network(address)])
        #expect(makers.last == user)
    }

    @Test func `a repeat says so`() async throws {
        self.answer(.success(ExternalPublishReceipt(id: Self.id, seq: nil, isDuplicate: true)))
        let key: HTTPHeaders = ["Idempotency-Key": "\"\(Self.id)\""]
        let (_, body) = try await self.call("/talk/lobby/publish", headers: key)
        #expect(body == "{\"id\":\"\(Self.id)\",\"timestamp\":1700000000,\"duplicate\":true}")
        #expect(self.rooms.state.withLockedValue(\.published).map(\.id) == [Self.id])
    }

    @Test(arguments: [["\(id)", "\(id)"], ["key"], ["\"\(id)"], [""]])
    func `an idempotency key is one UUID`(values: [String]) async throws {
        let headers = HTTPHeaders(values.map { ("Idempotency-Key", $0) })
        let (response, body) = try await self.call("/talk/lobby/publish", headers: headers)
        #expect(response.status == .badRequest)
        #expect(body.contains("give one UUID") && body.contains("invalid_field"), "\(body)")
        #expect(self.rooms.state.withLockedValue(\.published).isEmpty)
    }

    @Test(
        arguments: [
            (.rateLimited, 429, "3"), (.storageUnavailable, 503, "3"), (.permissionDenied, 403, nil),
            (.messageTooLarge, 413, nil), (.messageIDConflict, 409, nil), (.unknownChannel, 404, nil),
            (.banned, 403, nil), (.muted, 403, nil), (.roomLocked, 403, nil), (.shuttingDown, 503, "3"),
            (.internal, 500, nil),
        ] as [(Code, Int, String?)]
    )
    func `a refusal has its status`(code: Code, status: Int, retry: String?) async throws {
        self.answer(.failure(RequestError(code, "why", retryAfterMilliseconds: 2_001)))
        let (response, body) = try await self.call("/talk/lobby/publish")
        #expect(response.status.code == status)
        #expect(response.headers[field: "Retry-After"] == retry)
        #expect(body == "{\"message\":\"why\",\"code\":\"\(code.rawValue)\"}")
    }

    @Test(
        arguments: [
            (nil, "42", "42"), ("application/json", "42", "42"), ("text/plainer", "true", "true"),
            ("text/plain", "42", "\"42\""), ("TEXT/PLAIN ;charset=utf-8", "true", "\"true\""),
            (nil, "[object Object]", "\"[object Object]\""),
        ] as [(String?, String, String)]
    )
    func `plain text is a string`(
        type: String?,
        body: String,
        message: String
    ) async throws {
        self.answer(.success(ExternalPublishReceipt(id: Self.id, seq: 7)))
        _ = try await self.call("/talk/lobby/publish", body: body, headers: type.map { ["Content-Type": $0] } ?? [:])
        #expect(self.rooms.state.withLockedValue(\.published).map(\.message) == [message])
    }

    @Test func `what fails in one room does not hold up the others`() async throws {
        self.answer(.failure(RequestError(.rateLimited, "why", retryAfterMilliseconds: 10)))
        let (response, body) = try await self.call("/talk/publish/rooms?r=a&r=b")
        #expect(response.status == .tooManyRequests)
        #expect(response.headers[field: "Retry-After"] == "1")
        let entry = "\"error\":\"why\",\"code\":\"rate_limited\"}"
        #expect(
            body == "{\"message\":\"not published into 2 of 2 rooms: why\",\"code\":\"rate_limited\",\"rooms\":["
                + "{\"room\":\"a\",\(entry),{\"room\":\"b\",\(entry)]}"
        )
        #expect(self.rooms.state.withLockedValue(\.published).count == 2)
    }

    @Test func `what is empty`() async throws {
        for (path, empty) in [
            ("stats", "{\"users_count\":3}"), ("members", "[]"), ("rooms", "[]"), ("room-members", "{}"),
            ("lobby/members", "[]"),
        ] {
            let (response, body) = try await self.call("/talk/\(path)", .GET)
            #expect(response.status == .ok)
            #expect(body == empty)
        }
    }

    @Test(
        arguments: [
            "talk:", "talk:the secret", "other:the secret of the channel", "the secret of the channel", ":", "",
            "talk:the secret of the channel ",
        ]
    )
    func `a wrong secret is refused, also where none is needed`(credentials: String) async throws {
        for authentication in Authentication.allCases {
            let (response, _) = try await self.call(
                "/talk/stats",
                .GET,
                headers: Self.basic(credentials),
                authentication: authentication
            )
            #expect(response.status == .unauthorized)
            #expect(response.headers[field: "WWW-Authenticate"] != nil)
        }
    }

    @Test func `the secret opens every channel`() async throws {
        for authentication in Authentication.allCases {
            let headers = Self.basic("talk:the secret of the channel")
            let (response, _) = try await self.call(
                "/talk/stats",
                .GET,
                headers: headers,
                authentication: authentication
            )
            #expect(response.status == .ok)
        }
        let (response, _) = try await self.call("/talk/stats", .GET, authentication: .required)
        #expect(response.status == .unauthorized)
    }

    @Test func `bans, mutes and rules hold for tokens and strangers, not for the secret`() async throws {
        let secret = ChannelSecret(text: "the secret of the channel")
        let address = IPAddress("192.0.2.1")
        func token(_ data: String?) -> HTTPHeaders {
            let token = TestToken.make(channel: "talk", expires: 1_000_000_000, data: data, secret: secret)
            return ["Authorization": "Bearer \(token)"]
        }
        for (headers, person) in [
            (HTTPHeaders(), SanctionedPerson(user: nil, client: nil, address: address)),
            (token(nil), SanctionedPerson(user: nil, client: nil, address: address)),
            (token(#"{"id":17}"#), SanctionedPerson(user: "17", client: nil, address: address)),
            (Self.basic("talk:the secret of the channel"), nil),
        ] as [(HTTPHeaders, SanctionedPerson?)] {
            _ = try await self.call("/talk/lobby/publish", headers: headers, authentication: .optional)
            #expect(self.rooms.state.withLockedValue(\.publishers).last?.person == person)
        }
        #expect(self.rooms.state.withLockedValue(\.publishers).count == 4)
    }

    private static let lists = ["stats", "members", "rooms", "room-members", "lobby/members"]

    @Test(arguments: Self.lists) func `who is banned from the channel is told nothing of it`(path: String) async throws
    {
        self.sanctions.withLockedValue { $0 = [.imposed(on: .network("192.0.2.1")), .imposed(on: .user("17"))] }
        let secret = ChannelSecret(text: "the secret of the channel")
        let token = TestToken.make(channel: "talk", expires: 1_000_000_000, data: "17", secret: secret)
        for headers in [HTTPHeaders(), ["Authorization": "Bearer \(token)"]] {
            let (response, body) = try await self.call(
                "/talk/\(path)",
                .GET,
                headers: headers,
                authentication: .optional
            )
            #expect(response.status == .forbidden)
            #expect(body.hasSuffix(#""code":"banned"}"#))
        }
        let headers = Self.basic("talk:the secret of the channel")
        #expect(try await self.call("/talk/\(path)", .GET, headers: headers).response.status == .ok)
        self.sanctions.withLockedValue { $0 = [.imposed(.mute, on: .network("192.0.2.1"))] }
        #expect(try await self.call("/talk/\(path)", .GET).response.status == .ok)
    }

    @Test func `who is banned from a room is told nothing of that room`() async throws {
        self.sanctions.withLockedValue { $0 = [.imposed(on: .network("192.0.2.0/24"), in: "lobby")] }
        self.rooms.state.withLockedValue {
            $0.summaries = ["lobby", "other"].map { AdminRoomSummary(RoomName($0), members: 1) }
        }
        let (refused, body) = try await self.call("/talk/lobby/members", .GET)
        #expect(refused.status == .forbidden)
        #expect(body.hasSuffix(#""code":"banned"}"#))
        #expect(try await self.call("/talk/other/members", .GET).response.status == .ok)
        #expect(try await self.call("/talk/rooms", .GET).body == #"["other"]"#)
        #expect(try await self.call("/talk/room-members", .GET).body == #"{"other":[]}"#)
    }

    @Test func `who guesses has to wait`() async throws {
        let logins = FailedLogins(burst: 2)
        let right = Self.basic("talk:the secret of the channel")
        for _ in 0..<2 {
            let (response, _) = try await self.call("/talk/stats", .GET, headers: Self.basic("talk:x"), logins: logins)
            #expect(response.status == .unauthorized)
        }
        let (refused, _) = try await self.call("/talk/stats", .GET, headers: right, logins: logins)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers[field: "Retry-After"] == "6")
        self.time.withLockedValue { $0 = 6_000_000_000 }
        let (response, _) = try await self.call("/talk/stats", .GET, headers: right, logins: logins)
        #expect(response.status == .ok)
    }
}
