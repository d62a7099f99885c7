import NIOConcurrencyHelpers
import NIOHTTP1
import RoomControl
import RoomCore
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomHTTP

@Suite struct ChannelRoutesTests {
    @Test func `a channel is made, shown, changed and deleted`() async throws {
        let bench = try AdminBench()
        let created = try await bench.call(.POST, "channels", #"{"id":"news","history":{"count":5}}"#)
        #expect(created.status == .created)
        #expect(created.headers[field: "Location"] == "/admin/v1/channels/news")
        #expect(created.headers[field: "ETag"] == "\"1\"")
        #expect(try created.json["secret"] == .string(String(repeating: "s", count: 42) + "1"))

        let shown = try await bench.call(.GET, "channels/news")
        #expect(shown.status == .ok)
        #expect(shown.headers[field: "ETag"] == "\"1\"")
        #expect(try shown.json["secret"] == nil)
        #expect(try shown.json["history"]?["count"] == .number("5"))

        let changed = try await bench.call(
            .PATCH,
            "channels/news",
            #"{"presence":"all"}"#,
            headers: ["If-Match": "\"1\""]
        )
        #expect(changed.status == .ok)
        #expect(changed.headers[field: "ETag"] == "\"2\"")
        #expect(bench.rooms.state.withLockedValue { $0.changed.map(\.settings.presence) } == [.ask, .all])

        #expect(try await bench.call(.DELETE, "channels/news").status == .noContent)
        #expect(bench.rooms.state.withLockedValue(\.removed) == [.make("news")])
        #expect(try await bench.call(.GET, "channels/news").status == .notFound)
        #expect(bench.audit.map(\.action) == ["channel.create", "channel.update", "channel.delete"])
        #expect(bench.audit.allSatisfy { $0.actor == "uid:7" && $0.origin == "unix" && $0.target == "news" })
        #expect(bench.audit.allSatisfy { !$0.details.contains("sss") })
    }

    @Test func `channels are listed in pages`() async throws {
        let bench = try AdminBench(["a", "b", "c"].map { .make($0) })
        let first = try await bench.call(.GET, "channels?limit=2").json
        guard case .array(let channels)? = first["channels"], case .string(let next)? = first["next"] else {
            Issue.record("\(first)")
            return
        }
        #expect(channels.map { $0["id"] } == [.string("a"), .string("b")])
        let second = try await bench.call(.GET, "channels?limit=2&after=\(next)").json
        guard case .array(let rest)? = second["channels"] else {
            Issue.record("\(second)")
            return
        }
        #expect(rest.map { $0["id"] } == [.string("c")])
        #expect(second["next"] == .null)
    }

    @Test func `a change for another version is not made`() async throws {
        let bench = try AdminBench()
        for tag in ["\"7\"", "\"x\"", "\"2\", \"3\""] {
            let answer = try await bench.call(.PATCH, "channels/talk", "{}", headers: ["If-Match": tag])
            #expect(answer.status == .preconditionFailed, "\(tag) \(answer)")
        }
        for tag in ["", ",", "1", "W/\"1\"", "\"1\",", "*, \"1\""] {
            let answer = try await bench.call(.PATCH, "channels/talk", "{}", headers: ["If-Match": tag])
            #expect(answer.status == .badRequest, "\(tag) \(answer)")
        }
        for tag in ["*", "\"1\"", "\"9\", \"1\""] {
            #expect(try await bench.call(.PATCH, "channels/talk", "{}", headers: ["If-Match": tag]).status == .ok)
        }
        #expect(
            try await bench.call(.DELETE, "channels/talk", headers: ["If-Match": "\"5\""]).status == .preconditionFailed
        )
        #expect(bench.audit == [])
    }

    @Test func `what changes nothing is no new version`() async throws {
        let bench = try AdminBench()
        let answer = try await bench.call(.PATCH, "channels/talk", #"{"name":""}"#)
        #expect(answer.headers[field: "ETag"] == "\"1\"")
        #expect(bench.rooms.state.withLockedValue(\.changed).isEmpty)
    }

    @Test func `a setting that a flag names is refused with the flag`() async throws {
        let lock = ChannelLock(name: "history", flag: "--channel talk,history=off") { settings in
            var settings = settings
            settings.history = nil
            return settings
        }
        let bench = try AdminBench(locks: [.make("talk"): [lock]])
        let refused = try await bench.call(.PATCH, "channels/talk", #"{"history":{"count":3}}"#)
        #expect(refused.status == .conflict)
        #expect(
            refused.text
                == "setting_locked: history is set by the broker's configuration, --channel talk,history=off: change it "
                + "there; SIGHUP reloads a file"
        )
        #expect(try await bench.call(.PATCH, "channels/talk", #"{"history":null,"grace_seconds":1}"#).status == .ok)
        #expect(try await bench.call(.GET, "channels/talk").json["locked"] == .array([.string("history")]))
        #expect(try await bench.call(.DELETE, "channels/talk").status == .conflict)
    }

    @Test func `a rotation keeps two earlier secrets for their time`() async throws {
        let bench = try AdminBench()
        let second = AdminBench.now / 1_000
        for _ in 1...3 {
            #expect(try await bench.call(.POST, "channels/talk/secret", #"{"overlap_seconds":100}"#).status == .ok)
        }
        let secrets = try bench.directory.channels()[0].secrets
        #expect(secrets.map(\.expires) == [nil, second + 100, second + 100])
        #expect(secrets.map { $0.text.suffix(2) } == ["s3", "s2", "s1"])
        let last = try await bench.call(.POST, "channels/talk/secret", #"{"overlap_seconds":0}"#)
        #expect(try last.json["previous_secrets"] == .array([]))
        #expect(try bench.directory.channels()[0].secrets.count == 1)
        let usual = try await bench.call(.POST, "channels/talk/secret")
        #expect(
            try usual.json["previous_secrets"]
                == .array([.object([.init("expires_at", .string("2023-11-15T22:13:20.000Z"))])])
        )
        #expect(bench.audit.last?.details == #"{"overlap_seconds":86400}"#)
    }

    @Test func `a shorter overlap ends earlier secrets, too`() async throws {
        let bench = try AdminBench()
        _ = try await bench.call(.POST, "channels/talk/secret", #"{"overlap_seconds":1000}"#)
        _ = try await bench.call(.POST, "channels/talk/secret", #"{"overlap_seconds":10}"#)
        let second = AdminBench.now / 1_000
        #expect(try bench.directory.channels()[0].secrets.map(\.expires) == [nil, second + 10, second + 10])
    }

    @Test(arguments: [
        ("POST", "channels", "{" as String?, HTTPResponseStatus.badRequest, "malformed_json"),
        ("POST", "channels", #"{"id":"talk"}"#, .conflict, "channel_exists"),
        ("POST", "channels", #"{"id":"v3"}"#, .badRequest, "invalid_field"),
        ("POST", "channels", "", .badRequest, "missing_field"),
        ("GET", "channels?limti=1", nil, .badRequest, "unknown_field"),
        ("GET", "channels?limit=0", nil, .badRequest, "invalid_field"),
        ("GET", "channels?limit=1&limit=1", nil, .badRequest, "duplicate_field"),
        ("GET", "channels?after=", nil, .badRequest, "invalid_field"),
        ("GET", "channels?after=%2B", nil, .badRequest, "invalid_field"),
        ("GET", "channels?after=%FF", nil, .badRequest, "invalid_field"),
        ("GET", "channels/none", nil, .notFound, "unknown_channel"),
        ("GET", "channels/%FF", nil, .badRequest, "invalid_field"),
        ("GET", "channels/a%2Fb", nil, .notFound, "unknown_channel"),
        ("PATCH", "channels/none", "{}", .notFound, "unknown_channel"),
        ("DELETE", "channels/none", nil, .notFound, "unknown_channel"),
        ("POST", "channels/none/secret", nil, .notFound, "unknown_channel"),
        ("POST", "channels/talk/secret", #"{"overlap_seconds":2592001}"#, .badRequest, "invalid_field"),
        ("PUT", "channels/talk", "{}", .methodNotAllowed, "method_not_allowed"),
    ])
    func `what is wrong has a status and a word`(
        method: String,
        path: String,
        body: String?,
        status: HTTPResponseStatus,
        code: String
    ) async throws {
        let answer = try await AdminBench().call(HTTPMethod(rawValue: method), path, body)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(code + ": "), "\(answer.text)")
    }

    @Test func `a body says that it is JSON, and is not endless`() async throws {
        let bench = try AdminBench()
        let form = try await bench.call(.PATCH, "channels/talk", "{}", headers: ["Content-Type": "text/plain"])
        #expect(form.status == .unsupportedMediaType)
        let merge: HTTPHeaders = ["Content-Type": "Application/Merge-Patch+JSON; charset=utf-8"]
        #expect(try await bench.call(.PATCH, "channels/talk", "{}", headers: merge).status == .ok)
        let long = "{\"name\":\"\(String(repeating: "x", count: AdmittedCall.bodyLimit))\"}"
        #expect(try await bench.call(.PATCH, "channels/talk", long).status == .contentTooLarge)
    }

    @Test func `a control file that does not answer changes nothing`() async throws {
        let bench = try AdminBench()
        bench.directory.state.withLockedValue { $0.isBroken = true }
        let answer = try await bench.call(.PATCH, "channels/talk", #"{"name":"x"}"#)
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.text == "storage_unavailable: the disk is gone")
        #expect(bench.rooms.state.withLockedValue(\.changed).isEmpty)
        #expect(try await bench.call(.GET, "channels/talk").json["name"] == .string(""))
    }
}
