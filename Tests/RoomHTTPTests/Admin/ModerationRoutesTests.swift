import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// What moderators ask of the admin API, and what becomes of it.
@Suite struct ModerationRoutesTests {
    private let admin = #"{"id":"uid:7","kind":"admin"}"#
    private let room = RoomKey.make("a/b", channel: "talk")
    private let message = UniqueID(milliseconds: 1_700_000_000_456, sequence: 1, random: 9)

    // MARK: Bans and mutes

    @Test func `a ban is imposed, noted, put in effect and shown`() async throws {
        let bench = try AdminBench()
        let body = #"{"kind":"ban","user":"17","reason":"spam","seconds":60}"#
        let answer = try await bench.call(.POST, "channels/talk/sanctions", body)
        let shown = """
            {"kind":"ban","user":"17","reason":"spam","author":"uid:7","created":"2023-11-14T22:13:20.123Z",\
            "expires":"2023-11-14T22:14:21.000Z"}
            """
        #expect(answer.status == .created)
        #expect(answer.text == shown)
        let listed = try await bench.call(.GET, "channels/talk/sanctions")
        #expect(listed.text == #"{"sanctions":[\#(shown)],"total":1,"next":null}"#)
        #expect(
            bench.audit == [
                AuditEntry(
                    time: AdminBench.now,
                    actor: "uid:7",
                    origin: "unix",
                    action: "sanction.impose",
                    target: "talk",
                    details: #"{"kind":"ban","user":"17","reason":"spam","seconds":60}"#
                )
            ]
        )
        let moderation = await bench.moderation.moderation(of: self.room.channel)
        #expect(moderation.sanctions.count == 1)
        #expect(bench.moderated.calls == [.changed(moderation, self.room.channel, [])])
        #expect(bench.directory.state.withLockedValue(\.moderation) == [self.room.channel: moderation])
    }

    @Test(arguments: [
        (
            #"{"kind":"mute","room":"a/b","client_id":"x"}"#, #"{"kind":"mute","room":"a/b","client_id":"x","#,
            "talk/a/b"
        ),
        (
            #"{"kind":"ban","address":"192.0.2.0/24","room":null,"reason":null}"#,
            #"{"kind":"ban","address":"192.0.2.0/24","#, "talk"
        ),
        (#"{"kind":"ban","address":"::ffff:192.0.2.1"}"#, #"{"kind":"ban","address":"192.0.2.1","#, "talk"),
    ])
    func `whoever it is for, and wherever`(body: String, shown: String, target: String) async throws {
        let bench = try AdminBench()
        let answer = try await bench.call(.POST, "channels/talk/sanctions", body)
        #expect(answer.text.hasPrefix(shown), "\(answer)")
        #expect(bench.audit.map(\.target) == [target])
    }

    @Test func `a sanction is replaced by one of its key, and lifted once`() async throws {
        let bench = try AdminBench()
        let path = "channels/talk/sanctions"
        for reason in ["one", "two"] {
            _ = try await bench.call(.POST, path, #"{"kind":"mute","room":"r","user":"ü","reason":"\#(reason)"}"#)
        }
        #expect(await bench.moderation.moderation(of: self.room.channel).sanctions.all.map(\.reason) == ["two"])
        let query = "?kind=mute&room=r&user=%C3%BC"
        #expect(try await bench.call(.DELETE, "\(path)?kind=mute&user=%C3%BC").text.hasPrefix("sanction_not_found: "))
        #expect(try await bench.call(.DELETE, path + query).status == .noContent)
        #expect(try await bench.call(.DELETE, path + query).text.hasPrefix("sanction_not_found: "))
        #expect(bench.audit.map(\.action) == ["sanction.impose", "sanction.impose", "sanction.lift"])
        #expect(bench.audit.last?.details == #"{"kind":"mute","user":"ü"}"#)
        #expect(bench.moderated.calls.last == .changed(ChannelModeration(), self.room.channel, []))
    }

    @Test(arguments: [
        (#"{"user":"1"}"#, "missing_field: the field kind"),
        (#"{"kind":"kick","user":"1"}"#, "invalid_field: kind is \"kick\": give one of ban, mute"),
        (#"{"kind":"ban"}"#, "missing_field: nobody is named"),
        (#"{"kind":"ban","user":"1","client_id":"2"}"#, "invalid_field: give only one of"),
        (#"{"kind":"ban","user":"1","address":null}"#, "invalid_field: address is null: give a text, or leave it out"),
        (#"{"kind":"ban","user":""}"#, "invalid_field: the user has to have 1 to 200 bytes"),
        (#"{"kind":"ban","user":"\u0000"}"#, "invalid_field: the user"),
        (#"{"kind":"ban","address":"10.0.0.1/8"}"#, "invalid_field: address is \"10.0.0.1/8\": give an address"),
        (
            #"{"kind":"ban","user":"1","seconds":0}"#,
            "invalid_field: seconds is 0: give a whole number from 1 to 315360000"
        ),
        (#"{"kind":"ban","user":"1","reason":""}"#, "invalid_field: the reason has to have 1 to 500 bytes"),
        (#"{"kind":"ban","user":"1","reason":"\u0007"}"#, "invalid_field: the reason"),
        (#"{"kind":"ban","user":"1","room":""}"#, "invalid_field: room is \"\": give the name of a room"),
        (#"{"kind":"ban","usr":"1"}"#, "unknown_field: there is no field \"usr\"; did you mean user?"),
    ])
    func `what is wrong with a sanction is said`(body: String, problem: String) async throws {
        let bench = try AdminBench()
        let answer = try await bench.call(.POST, "channels/talk/sanctions", body)
        #expect(answer.text.hasPrefix(problem), "\(answer)")
        #expect(bench.audit.isEmpty)
        #expect(bench.moderated.calls.isEmpty)
    }

    @Test(arguments: [
        ("", ["a 192.0.2.0/24", "a 192.0.2.7", "a x", "r 1", "mute r 1"]),
        ("?kind=mute", ["mute r 1"]),
        ("?room=", ["a 192.0.2.0/24", "a 192.0.2.7", "a x"]),
        ("?room=r", ["r 1", "mute r 1"]),
        ("?user=1", ["r 1", "mute r 1"]),
        ("?client_id=x", ["a x"]),
        ("?address=192.0.2.7", ["a 192.0.2.0/24", "a 192.0.2.7"]),
        ("?address=192.0.2.8", ["a 192.0.2.0/24"]),
        ("?address=192.0.2.0/24", ["a 192.0.2.0/24"]),
        ("?address=198.51.100.1", []),
    ])
    func `sanctions are found by what is asked for`(query: String, found: [String]) async throws {
        let bench = try AdminBench()
        for body in [
            #"{"kind":"mute","room":"r","user":"1"}"#, #"{"kind":"ban","room":"r","user":"1"}"#,
            #"{"kind":"ban","client_id":"x"}"#, #"{"kind":"ban","address":"192.0.2.7"}"#,
            #"{"kind":"ban","address":"192.0.2.0/24"}"#,
        ] {
            #expect(try await bench.call(.POST, "channels/talk/sanctions", body).status == .created)
        }
        let page = try await bench.call(.GET, "channels/talk/sanctions\(query)").json
        guard case .array(let sanctions)? = page["sanctions"] else { throw ChannelDirectoryError(.notFound, text: "") }
        func text(_ field: String, _ tree: JSONTree) -> String? {
            if case .string(let text)? = tree[field] { text } else { nil }
        }
        let names = sanctions.map { sanction in
            let kind = text("kind", sanction) == "mute" ? "mute " : ""
            let subject = text("user", sanction) ?? text("client_id", sanction) ?? text("address", sanction) ?? ""
            return "\(kind)\(text("room", sanction) ?? "a") \(subject)"
        }
        #expect(names == found)
        #expect(page["total"] == .integer(found.count))
    }

    @Test func `sanctions come in pages`() async throws {
        let bench = try AdminBench()
        let names = ["1", "2", "Rene\u{301}", "Ren\u{e9}", "a"].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for user in names {
            _ = try await bench.call(.POST, "channels/talk/sanctions", #"{"kind":"ban","user":"\#(user)"}"#)
        }
        var (users, query) = ([String](), "limit=2")
        while true {
            let page = try await bench.call(.GET, "channels/talk/sanctions?\(query)").json
            guard case .array(let sanctions)? = page["sanctions"] else { break }
            users += sanctions.map { $0["user"].flatMap { if case .string(let user) = $0 { user } else { nil } } ?? "" }
            #expect(page["total"] == .integer(5))
            guard case .string(let next)? = page["next"] else { break }
            query = "limit=2&after=\(next)"
        }
        #expect(users.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    }

    @Test func `what has ended is not shown, cannot be lifted, and is swept`() async throws {
        let bench = try AdminBench()
        let path = "channels/talk/sanctions"
        _ = try await bench.call(.POST, path, #"{"kind":"ban","user":"1","seconds":1}"#)
        _ = try await bench.call(.POST, path, #"{"kind":"ban","user":"2"}"#)
        bench.clock.withLockedValue { $0 += 1_876 }
        #expect(try await bench.call(.GET, path).json["total"] == .integer(2))
        bench.clock.withLockedValue { $0 += 1 }
        #expect(try await bench.call(.GET, path).json["total"] == .integer(1))
        #expect(try await bench.call(.DELETE, "\(path)?kind=ban&user=1").text.hasPrefix("sanction_not_found: "))
        await bench.moderation.sweep()
        let left = await bench.moderation.moderation(of: self.room.channel)
        #expect(left.sanctions.count == 1)
        #expect(bench.directory.state.withLockedValue { $0.moderation[self.room.channel] } == left)
        #expect(bench.moderated.calls.last == .changed(left, self.room.channel, []))
        #expect(bench.audit.count == 2)
        let calls = bench.moderated.calls.count
        await bench.moderation.sweep()
        #expect(bench.moderated.calls.count == calls)
    }

    // MARK: Rules

    @Test func `rules are set, noted one by one, and told to the room`() async throws {
        let bench = try AdminBench()
        let path = "channels/talk/rooms/a%2Fb/rules"
        #expect(try await bench.call(.GET, path).text == #"{"locked":false}"#)
        let set = try await bench.call(
            .PATCH,
            path,
            #"{"locked":true,"lock_reason":"a talk","slow_mode_seconds":10,"member_limit":3}"#
        )
        let shown = #"{"locked":true,"lock_reason":"a talk","slow_mode_seconds":10,"member_limit":3}"#
        #expect(set.text == shown)
        #expect(try await bench.call(.GET, path).text == shown)
        #expect(bench.audit.map(\.action) == ["room.lock", "room.slow_mode", "room.limit_members"])
        #expect(bench.audit.map(\.details) == [#"{"reason":"a talk"}"#, #"{"seconds":10}"#, #"{"count":3}"#])
        #expect(bench.audit.allSatisfy { $0.target == "talk/a/b" })
        let moderation = await bench.moderation.moderation(of: self.room.channel)
        #expect(
            bench.moderated.calls == [
                .changed(moderation, self.room.channel, [self.room.room]),
                .perform(
                    .notice(Notice(text: "This room is locked: a talk", kind: .locked)),
                    self.room,
                    by: self.admin
                ),
                .perform(
                    .notice(
                        Notice(
                            text: "Slow mode: a message every 10 seconds from each member.",
                            kind: .slowMode(seconds: 10)
                        )
                    ),
                    self.room,
                    by: self.admin
                ),
            ]
        )
        let calls = bench.moderated.calls.count
        #expect(try await bench.call(.PATCH, path, #"{"slow_mode_seconds":10,"locked":true}"#).text == shown)
        #expect(bench.audit.count == 3)
        #expect(bench.moderated.calls.count == calls)
        let opened = try await bench.call(.PATCH, path, #"{"locked":null,"slow_mode_seconds":0,"member_limit":null}"#)
        #expect(opened.text == #"{"locked":false}"#)
        #expect(bench.audit.suffix(3).map(\.action) == ["room.unlock", "room.slow_mode", "room.limit_members"])
        #expect(bench.directory.state.withLockedValue { $0.moderation[self.room.channel]?.rules } == [:])
    }

    @Test(arguments: [
        (#"{"lock_reason":"x"}"#, "invalid_field: lock_reason says why"),
        (#"{"locked":1}"#, "invalid_field: locked is 1: give true or false"),
        (#"{"slow_mode_seconds":86401}"#, "invalid_field: slow_mode_seconds is 86401"),
        (#"{"member_limit":-1}"#, "invalid_field: member_limit is -1"),
        (#"{"lock":true}"#, "unknown_field: there is no field \"lock\"; did you mean locked?"),
    ])
    func `what is wrong with rules is said`(body: String, problem: String) async throws {
        let bench = try AdminBench()
        let answer = try await bench.call(.PATCH, "channels/talk/rooms/r/rules", body)
        #expect(answer.text.hasPrefix(problem), "\(answer)")
        #expect(bench.audit.isEmpty)
    }

    @Test func `a room, a list and a member show what holds for them`() async throws {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue { state in
            state.summaries = [
                AdminRoomSummary(self.room.room, members: 2), AdminRoomSummary(RoomName("z"), members: 1),
            ]
            state.members[self.room] = [("x", "1"), ("y", "2")].map { id, user in
                var member = AdminMember(ClientID(id))
                member.user = user
                return member
            }
        }
        _ = try await bench.call(.PATCH, "channels/talk/rooms/a%2Fb/rules", #"{"slow_mode_seconds":5}"#)
        _ = try await bench.call(.POST, "channels/talk/sanctions", #"{"kind":"mute","user":"1"}"#)
        #expect(
            try await bench.call(.GET, "channels/talk/rooms").text == """
                {"rooms":[{"name":"a/b","members":2,"rules":{"locked":false,"slow_mode_seconds":5}},\
                {"name":"z","members":1}],"total":2,"next":null}
                """
        )
        #expect(
            try await bench.call(.GET, "channels/talk/rooms/a%2Fb/members").text == """
                {"members":[{"id":"x","user":"1","muted":true,"connection":null},\
                {"id":"y","user":"2","connection":null}],"total":2,"next":null}
                """
        )
    }

    // MARK: Acts

    @Test func `members are kicked from rooms and from the channel`() async throws {
        let bench = try AdminBench()
        let inRoom = try await bench.call(.DELETE, "channels/talk/rooms/a%2Fb/members/x?reason=enough+now")
        #expect(inRoom.status == .noContent)
        #expect(try await bench.call(.DELETE, "channels/talk/members/x").status == .noContent)
        #expect(
            bench.moderated.calls == [
                .perform(.kick(ClientID("x"), reason: "enough now"), self.room, by: self.admin),
                .kickFromChannel(ClientID("x"), self.room.channel, reason: nil),
            ]
        )
        #expect(bench.audit.map(\.target) == ["talk/a/b", "talk"])
        #expect(bench.audit.map(\.details) == [#"{"client_id":"x","reason":"enough now"}"#, #"{"client_id":"x"}"#])
        bench.moderated.state.withLockedValue { $0.hasMember = false }
        for path in ["channels/talk/rooms/r/members/x", "channels/talk/members/x"] {
            #expect(try await bench.call(.DELETE, path).text.hasPrefix("member_not_found: there is no member \"x\""))
        }
        #expect(bench.audit.count == 2)
    }

    @Test func `a message is redacted by its id or its seq, and once`() async throws {
        let bench = try AdminBench()
        let path = "channels/talk/rooms/a%2Fb/messages"
        #expect(try await bench.call(.DELETE, "\(path)/9").text.hasPrefix("message_not_found: "))
        #expect(bench.audit.isEmpty)
        bench.moderated.state.withLockedValue { state in
            state.redaction = .success(RedactionReceipt(seq: 4, targetSeq: 3, targetID: self.message))
        }
        let done = try await bench.call(.DELETE, "\(path)/\(self.message)?reason=rude")
        #expect(done.text == #"{"seq":4,"target_seq":3,"target_id":"\#(self.message)"}"#)
        bench.moderated.state.withLockedValue { state in
            state.redaction = .success(RedactionReceipt(seq: nil, targetSeq: 3, targetID: self.message))
        }
        let again = try await bench.call(.DELETE, "\(path)/3")
        #expect(again.text == #"{"duplicate":true,"target_seq":3,"target_id":"\#(self.message)"}"#)
        #expect(
            bench.moderated.calls == [
                .perform(.redact(.seq(9), reason: nil), self.room, by: self.admin),
                .perform(.redact(.id(self.message), reason: "rude"), self.room, by: self.admin),
                .perform(.redact(.seq(3), reason: nil), self.room, by: self.admin),
            ]
        )
        #expect(bench.audit.map(\.details) == [#"{"target_id":"\#(self.message)","reason":"rude"}"#])
        for target in ["0", "-1", "x", "1.5", "9223372036854775808"] {
            #expect(try await bench.call(.DELETE, "\(path)/\(target)").text.hasPrefix("invalid_field: the message is"))
        }
    }

    @Test func `the author of a message is shown, as far as it is known`() async throws {
        let bench = try AdminBench()
        let path = "channels/talk/rooms/a%2Fb/messages"
        #expect(try await bench.call(.GET, "\(path)/9/author").text.hasPrefix("message_not_found: "))
        bench.moderated.state.withLockedValue { state in
            state.affected = AffectedMember(client: ClientID("x"), user: "1", name: "Ann")
        }
        for target in ["3", "\(self.message)"] {
            #expect(try await bench.call(.GET, "\(path)/\(target)/author").text == #"{"user":"1","client_id":"x"}"#)
        }
        bench.moderated.state.withLockedValue { $0.affected = AffectedMember(client: nil, user: nil, name: nil) }
        #expect(try await bench.call(.GET, "\(path)/3/author").text.hasPrefix("message_not_found: "))
        #expect(try await bench.call(.GET, "\(path)/x/author").text.hasPrefix("invalid_field: the message is"))
        #expect(bench.audit.isEmpty)
    }

    @Test func `a room is cleared, and rooms and channels are told`() async throws {
        let bench = try AdminBench()
        let cleared = try await bench.call(.POST, "channels/talk/rooms/a%2Fb/clear")
        #expect(cleared.text == #"{"epoch":"0000000000000002","seq":0}"#)
        let text = #"{"text":"At 12:\nback at 13"}"#
        #expect(try await bench.call(.POST, "channels/talk/rooms/a%2Fb/notices", text).text == #"{"reached":3}"#)
        #expect(try await bench.call(.POST, "channels/talk/notices", text).text == #"{"reached":4}"#)
        let notice = Notice(text: "At 12:\nback at 13")
        #expect(
            bench.moderated.calls == [
                .perform(.clear, self.room, by: self.admin), .perform(.notice(notice), self.room, by: self.admin),
                .notifyChannel(notice, self.room.channel, by: self.admin),
            ]
        )
        #expect(bench.audit.map(\.action) == ["room.clear", "room.notice", "channel.notice"])
        #expect(bench.audit.map(\.details) == ["{}", text, text])
        for wrong in [#"{"text":""}"#, #"{"text":"\u001b"}"#, #"{"text":"\#(String(repeating: "x", count: 2_001))"}"#] {
            let answer = try await bench.call(.POST, "channels/talk/notices", wrong)
            #expect(answer.text.hasPrefix("invalid_field: the text has to have 1 to 2000 bytes"))
        }
        #expect(try await bench.call(.POST, "channels/talk/notices", "{}").text.hasPrefix("missing_field: "))
    }

    @Test(arguments: [
        ("DELETE", "rooms/r/members/x", nil), ("DELETE", "members/x", nil), ("GET", "sanctions", nil),
        ("POST", "sanctions", #"{"kind":"ban","user":"1"}"#), ("DELETE", "sanctions?kind=ban&user=1", nil),
        ("GET", "rooms/r/rules", nil), ("PATCH", "rooms/r/rules", "{}"), ("POST", "notices", #"{"text":"x"}"#),
        ("POST", "rooms/r/notices", #"{"text":"x"}"#), ("POST", "rooms/r/clear", nil),
        ("DELETE", "rooms/r/messages/1", nil), ("GET", "rooms/r/messages/1/author", nil),
    ])
    func `there has to be such a channel`(method: String, path: String, body: String?) async throws {
        let bench = try AdminBench()
        let method = HTTPMethod(rawValue: method)
        let answer = try await bench.call(method, "channels/none/\(path)", body)
        #expect(answer.text.hasPrefix("unknown_channel: "))
        #expect(bench.moderated.calls.isEmpty)
        #expect(bench.audit.isEmpty)
    }

    @Test func `a read token moderates nothing`() async throws {
        let bench = try AdminBench()
        let made = try await bench.call(.POST, "tokens", #"{"name":"t","scopes":["read"]}"#).json["token"]
        guard case .string(let token)? = made else { throw ChannelDirectoryError(.notFound, text: "no token") }
        let peer = HTTPPeer(transport: .tls, address: IPAddress("192.0.2.1"), isLocal: false)
        let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
        for (method, path) in [
            (HTTPMethod.DELETE, "rooms/r/members/x"), (.DELETE, "members/x"), (.POST, "sanctions"),
            (.DELETE, "sanctions"), (.PATCH, "rooms/r/rules"), (.POST, "notices"), (.POST, "rooms/r/notices"),
            (.POST, "rooms/r/clear"), (.DELETE, "rooms/r/messages/1"),
        ] {
            let answer = try await bench.call(method, "channels/talk/\(path)", headers: headers, from: peer)
            #expect(answer.status == .forbidden, "\(method) \(path)")
        }
        for path in ["sanctions", "rooms/r/rules"] {
            #expect(try await bench.call(.GET, "channels/talk/\(path)", headers: headers, from: peer).status == .ok)
        }
    }
}
