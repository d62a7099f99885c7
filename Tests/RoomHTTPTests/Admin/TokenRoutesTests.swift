import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomDocuments
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery
@testable import RoomHTTP
@testable import RoomMetrics

@Suite struct TokenRoutesTests {
    private static let remote = IPAddress(v4: 0xc000_0201)
    private static let tls = HTTPPeer(transport: .tls, address: remote, isLocal: false)
    private static let plain = HTTPPeer(transport: .tcp, address: remote, isLocal: false)
    private static let loopback = HTTPPeer(transport: .tcp, address: IPAddress(v4: 0x7f00_0001), isLocal: true)

    private func token(
        _ bench: AdminBench,
        _ name: String,
        _ scopes: String,
        _ rest: String = ""
    ) async throws -> String {
        let answer = try await bench.call(.POST, "tokens", #"{"name":"\#(name)","scopes":[\#(scopes)]\#(rest)}"#)
        #expect(answer.status == .created, "\(answer.text)")
        guard case .string(let text)? = try answer.json["token"] else { return "" }
        return text
    }

    @Test func `a token is shown once, kept as a hash, listed and ended`() async throws {
        let bench = try AdminBench()
        let text = try await self.token(bench, "ops", #""manage","read""#, #","expires_in_seconds":60"#)
        #expect(text.hasPrefix("rla_"))
        #expect(bench.directory.state.withLockedValue { $0.tokens["ops"]?.hash.count } == 32)
        #expect(
            try await bench.call(.GET, "tokens").text == """
                {"tokens":[{"name":"ops","scopes":["read","manage"],"created_at":"2023-11-14T22:13:20.123Z",\
                "expires_at":"2023-11-14T22:14:20.123Z"}]}
                """
        )
        let again = try await bench.call(.POST, "tokens", #"{"name":"ops","scopes":["read"]}"#)
        #expect(again.text.hasPrefix("token_exists: "))
        let bearer: HTTPHeaders = ["Authorization": "Bearer \(text)"]
        #expect(try await bench.call(.GET, "tokens", headers: bearer, from: Self.tls).status == .ok)
        #expect(try await bench.call(.DELETE, "tokens/ops").status == .noContent)
        #expect(try await bench.call(.GET, "tokens", headers: bearer, from: Self.tls).status == .unauthorized)
        #expect(try await bench.call(.DELETE, "tokens/ops").text.hasPrefix("unknown_token: "))
        #expect(bench.audit.map(\.action) == ["token.create", "token.delete"])
        #expect(bench.audit.allSatisfy { !$0.details.contains("rla_") })
    }

    @Test(arguments: [
        ("read", "GET", "channels", true), ("read", "DELETE", "channels/talk", false), ("read", "GET", "audit", false),
        ("read", "GET", "statistics", true), ("read", "POST", "channels/talk/rooms/r/messages", false),
        ("moderate", "GET", "channels", true), ("moderate", "POST", "channels/talk/rooms/r/messages", true),
        ("moderate", "GET", "audit", true), ("moderate", "GET", "tokens", false),
        ("moderate", "PATCH", "channels/talk", false),
        ("manage", "GET", "audit", true), ("manage", "PATCH", "channels/talk", true), ("manage", "GET", "tokens", true),
        ("manage", "POST", "channels/talk/rooms/r/messages", true),
    ])
    func `a scope reaches so far`(scope: String, method: String, path: String, isAllowed: Bool) async throws {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue {
            $0.receipt = .success(ExternalPublishReceipt(id: UniqueID(high: 1, low: 1), seq: 1))
        }
        let text = try await self.token(bench, "t", "\"\(scope)\"")
        let method = HTTPMethod(rawValue: method)
        let body = method == .GET || method == .DELETE ? nil : "{}"
        let answer = try await bench.call(
            method,
            path,
            body,
            headers: ["Authorization": "bearer \(text)"],
            from: Self.loopback
        )
        #expect((answer.status == .forbidden) == !isAllowed, "\(answer)")
        #expect((answer.status.code / 100 == 2) == isAllowed, "\(answer)")
    }

    @Test func `without a token nobody comes in, and over the open net nobody with one`() async throws {
        let bench = try AdminBench()
        let text = try await self.token(bench, "ops", #""manage""#)
        let none = try await bench.call(.GET, "channels", from: Self.loopback)
        #expect(none.status == .unauthorized)
        #expect(none.text.hasPrefix("authentication_required: "))
        #expect(none.headers[field: "WWW-Authenticate"] == "Bearer realm=\"roomline admin\"")
        for value in ["Bearer rla_x", "Basic \(text)", text, "Bearer \(text)x", "Bearer"] {
            let wrong = try await bench.call(.GET, "channels", headers: ["Authorization": value], from: Self.loopback)
            #expect(wrong.status == .unauthorized)
            #expect(wrong.text.hasPrefix("token_invalid: "))
            #expect(!wrong.text.contains(text))
        }
        let open = try await bench.call(
            .GET,
            "channels",
            headers: ["Authorization": "Bearer \(text)"],
            from: Self.plain
        )
        #expect(open.status == .forbidden)
    }

    @Test func `a token has its time`() async throws {
        let expired = StoredAdminToken(
            name: "old",
            hash: [],
            scopes: [.read],
            created: 0,
            expires: AdminBench.now
        )
        let bench = try AdminBench(tokens: [expired])
        let text = try await self.token(bench, "new", #""read""#, #","expires_in_seconds":1"#)
        bench.directory.state.withLockedValue { state in
            if var token = state.tokens["new"] {
                token.expires = AdminBench.now
                state.tokens["new"] = token
            }
        }
        _ = try await self.token(bench, "another", #""read""#)
        let answer = try await bench.call(
            .GET,
            "channels",
            headers: ["Authorization": "Bearer \(text)"],
            from: Self.loopback
        )
        #expect(answer.text.hasPrefix("token_expired: "))
    }

    @Test func `who guesses has to wait`() async throws {
        let bench = try AdminBench(failedLogins: FailedLogins(burst: 2))
        let text = try await self.token(bench, "ops", #""read""#)
        for _ in 1...2 {
            let wrong = try await bench.call(.GET, "channels", headers: ["Authorization": "Bearer x"], from: Self.tls)
            #expect(wrong.status == .unauthorized)
        }
        let good = try await bench.call(.GET, "channels", headers: ["Authorization": "Bearer \(text)"], from: Self.tls)
        #expect(good.status == .tooManyRequests)
        #expect(good.headers[field: "Retry-After"] != nil)
    }

    @Test(arguments: [
        #"{"name":"a"}"#, #"{"scopes":["read"]}"#, #"{"name":"a","scopes":[]}"#, #"{"name":"a","scopes":["all"]}"#,
        #"{"name":"a","scopes":["read","read"]}"#, #"{"name":"..","scopes":["read"]}"#,
        #"{"name":"a b","scopes":["read"]}"#, #"{"name":"a","scopes":["read"],"expires_in_seconds":0}"#,
        #"{"name":"a","scopes":"read"}"#, #"{"name":"a","scopes":["read"],"hash":"x"}"#,
    ])
    func `a token is asked for in full`(body: String) async throws {
        #expect(try await AdminBench().call(.POST, "tokens", body).status == .badRequest)
    }

    @Test func `a moderator sees what was done in moderation, and nothing else`() async throws {
        let bench = try AdminBench()
        let text = try await self.token(bench, "mod", #""moderate""#)
        let bearer: HTTPHeaders = ["Authorization": "bearer \(text)"]
        _ = try await bench.call(.POST, "channels/talk/sanctions", #"{"kind":"mute","user":"7"}"#)
        let seen = try await bench.call(.GET, "audit", headers: bearer, from: Self.tls).json
        guard case .array(let entries)? = seen["entries"] else {
            Issue.record("\(seen)")
            return
        }
        #expect(entries.map { $0["action"] } == [.string("sanction.impose")])
        let other = try await bench.call(.GET, "audit?action=token.create", headers: bearer, from: Self.tls)
        #expect(other.text == #"{"entries":[],"next":null}"#)
    }

    @Test func `the audit log is read backwards in pages`() async throws {
        let bench = try AdminBench()
        for name in ["a", "b", "c"] { _ = try await self.token(bench, name, #""read""#) }
        let first = try await bench.call(.GET, "audit?limit=2").json
        guard case .array(let entries)? = first["entries"], case .string(let next)? = first["next"] else {
            Issue.record("\(first)")
            return
        }
        #expect(entries.map { $0["target"] } == [.string("c"), .string("b")])
        #expect(
            entries[0].text == """
                {"time":"2023-11-14T22:13:20.123Z","actor":"uid:7","origin":"unix","action":"token.create","target":"c",\
                "details":{"scopes":["read"]}}
                """
        )
        let second = try await bench.call(.GET, "audit?limit=2&before=\(next)").json
        #expect(second["next"] == .null)
        #expect(try await bench.call(.GET, "audit?actor=uid:8").text == #"{"entries":[],"next":null}"#)
        #expect(try await bench.call(.GET, "audit?before=x").status == .badRequest)
    }

    @Test func `figures of the past are shown, all or the newest`() async throws {
        let registry = PrometheusRegistry(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let figures = FigureLog(
            registry: registry,
            sources: BrokerMetrics.Sources(
                shards: { [] },
                statistics: { BrokerStatistics() },
                process: { ProcessFigures(startSeconds: 0, uptimeSeconds: 0, processorSeconds: 0) },
                historyBytes: { nil }
            ),
            residentBytes: { nil }
        )
        let bench = try AdminBench(figures: figures)
        #expect(try await bench.call(.GET, "figures").text == #"{"samples":[]}"#)
        for second in 1...2 { await figures.take(time: Int64(second) * 1_000, uptime: UInt64(second) * 1_000_000_000) }
        let formats = #""wire_formats":{"events":0,"json":0,"text":0,"websocket":0}"#
        #expect(
            try await bench.call(.GET, "figures?after=1000").text == """
                {"samples":[{"time":"1970-01-01T00:00:02.000Z","connections":0,\(formats),"rooms":0,"members":0,\
                "publishes":0.0,"deliveries":0.0}]}
                """
        )
        let times = try await bench.call(.GET, "figures").text.split(separator: "\"time\"").count - 1
        #expect(times == 2)
        #expect(try await bench.call(.GET, "figures?after=x").status == .badRequest)
    }

    private static func slow(_ id: String, _ data: ByteBuffer?, lag: Int) -> AdminStatistics.SlowMember {
        var member = AdminStatistics.SlowMember(placeholder: ())
        (member.channel, member.room, member.id) = ("talk", "r", id)
        (member.clientDataBytes, member.lag) = (data, lag)
        return member
    }

    @Test func `statistics are shown`() async throws {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue { state in
            state.statistics.connections = 3
            state.statistics.members = 5
            state.statistics.channels = [.init(id: .make("talk"), connections: 3, rooms: 2)]
            let data = ByteBuffer(string: #"{"name": "Luke"}"#)
            let room = RoomKey(channel: .make("talk"), room: RoomName("r"))
            state.slow.add(Self.slow("a", data, lag: 7), naming: 2)
            state.slow.add(Self.slow("b", nil, lag: 9), naming: 2)
            let member = FlowDescription.Member(channel: .make("talk"), id: ClientID("d"), clientData: data)
            state.busy = BusyConnections(
                count: 3,
                busiest: [
                    .init(flow: .init(member: member, address: IPAddress("192.0.2.1")), percent: 60),
                    .init(flow: .init(), percent: 2),
                ],
                addresses: IPAddress("192.0.2.1").map { [.init(address: $0, connections: 4, percent: 61)] } ?? [],
                rooms: [.init(room: room, percent: 33)]
            )
            state.slow.add(Self.slow("c", nil, lag: 1), naming: 2)
        }
        #expect(
            try await bench.call(.GET, "statistics").text == """
                {"time":"2023-11-14T22:13:20.123Z","connections":3,"rooms":0,"members":5,"slow":3,"slowest":[\
                {"channel":"talk","room":"r","id":"b","lag":9},\
                {"channel":"talk","room":"r","id":"a","client_data":{"name": "Luke"},"lag":7}],\
                "busy":3,"busiest":[{"channel":"talk","id":"d","client_data":{"name": "Luke"},"address":"192.0.2.1",\
                "loop_percent":60},{"address":null,"loop_percent":2}],\
                "busiest_addresses":[{"address":"192.0.2.1","connections":4,"loop_percent":61}],\
                "busiest_rooms":[{"channel":"talk","room":"r","loop_percent":33}],\
                "publishes":0,"deliveries":0,"published_bytes":0,"delivered_bytes":0,"errors":0,"stored":null,\
                "channels":[{"id":"talk","connections":3,"rooms":2,"stored":null}],\
                "version":"1.2.3","uptime_seconds":12.5,"cpu_seconds":0.25,"resident_bytes":null,\
                "commit_p50_seconds":null,"commit_p99_seconds":null,"certificate_expires":null,\
                "disk_free_bytes":null,"disk_bytes":null,"warnings":[]}
                """
        )
    }

    @Test func `statistics have what each channel stores`() async throws {
        var talk = StoredUsage.Channel()
        (talk.rooms, talk.messages, talk.bytes, talk.isEstimate) = (2, 30, 4_000, true)
        let usage = StoredUsage(time: AdminBench.now, channels: [.make("talk"): talk], fileBytes: 9_000)
        let bench = try AdminBench(storedUsage: FixedUsage(result: .success(usage)))
        bench.rooms.state.withLockedValue { state in
            state.statistics.channels = ["empty", "talk"].map { .init(id: .make($0), connections: 0, rooms: 0) }
        }
        let json = try await bench.call(.GET, "statistics").json
        let own = #""rooms":2,"messages":30,"bytes":4000,"bytes_are_estimated":true"#
        #expect(json["stored"]?.text == #"{"time":"2023-11-14T22:13:20.123Z",\#(own),"file_bytes":9000}"#)
        guard case .array(let channels)? = json["channels"] else { throw EngineError.reset }
        #expect(
            channels.map { $0["stored"]?.text } == [
                #"{"rooms":0,"messages":0,"bytes":0,"bytes_are_estimated":false}"#, "{\(own)}",
            ]
        )
    }

    @Test func `statistics are shown without what is stored where that cannot be read`() async throws {
        let bench = try AdminBench(storedUsage: FixedUsage(result: .failure(.unavailable)))
        #expect(try await bench.call(.GET, "statistics").json["stored"] == .null)
    }
}

/// Says the same whenever it is asked.
private struct FixedUsage: StoredUsageSource {
    let result: Result<StoredUsage, EngineError>

    func storedUsage() async throws(EngineError) -> StoredUsage { try self.result.get() }
}
