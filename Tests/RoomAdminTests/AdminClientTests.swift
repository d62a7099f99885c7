import Foundation
import NIOConcurrencyHelpers
import RoomAdmin
import RoomClient
import RoomTestKit
import Testing

/// The library against the built broker.
@Suite(.timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct AdminClientTests {
    private static func with(
        flags: [String] = [],
        _ body: (AdminClient, BrokerProcess) async throws -> Void
    ) async throws {
        try await BrokerProcess.with(flags: flags) { broker in
            let admin = try AdminClient(.socket(broker.adminSocket))
            try await body(admin, broker)
            await admin.close()
        }
    }

    @Test func `a channel is created, changed and deleted`() async throws {
        try await Self.with { admin, _ in
            let settings = try JSON(#"{"name":"Shop","history":{"count":100}}"#)
            let made = try await admin.send(.createChannel("shop", settings: settings))
            #expect(made.secret != nil && made.history?.count == 100)
            #expect(made.setting("name")?.string == "Shop")
            let change = try JSON(#"{"presence":"all"}"#)
            let changed = try await admin.send(.changeChannel("shop", settings: change, ifVersion: made.version))
            #expect(changed.setting("presence")?.string == "all" && changed.secret == nil)
            let rotated = try await admin.send(.rotateSecret(of: "shop", overlap: .seconds(60)))
            #expect(rotated.secret != made.secret && rotated.previousSecrets.first?.expiresAt.date != nil)
            let refused = await #expect(throws: AdminError.self) {
                try await admin.send(.deleteChannel("shop", ifVersion: made.version))
            }
            #expect(refused?.code == .versionDiffers && refused?.status == 412)
            try await admin.send(.deleteChannel("shop"))
            let unknown = await #expect(throws: AdminError.self) { try await admin.send(.channel("shop")) }
            #expect(unknown?.code == .unknownChannel)
        }
    }

    @Test func `settings that are no object are refused here`() throws {
        let error = #expect(throws: AdminError.self) { try AdminCall.createChannel("a", settings: JSON("[1]")) }
        #expect(error?.code == .encodingFailed)
    }

    @Test func `a moderator sees a room and acts in it`() async throws {
        try await Self.with { admin, broker in
            let client = try RoomClient(broker.url, channel: "default", member: MemberProfile(name: "Luke"))
            let room = try await client.join("lobby", of: String.self)
            for text in ["one", "two", "three"] { try await room.publish(text) }

            var members: [AdminMember] = []
            for try await member in admin.list(.members(of: "lobby", in: "default")) { members.append(member) }
            let luke = try #require(members.first)
            #expect(members.count == 1 && luke.clientData?.description == #"{"name":"Luke"}"#)
            #expect(try await admin.send(.room("lobby", in: "default")).seq == 3)

            let redaction = try await admin.send(.redact("2", in: "lobby", of: "default", reason: "spam"))
            #expect(redaction.targetSeq == 2 && !redaction.isDuplicate)
            var texts: [String?] = []
            for try await page in admin.history(of: "lobby", in: "default") {
                texts += try page.messages().map { $0.redaction == nil ? $0.message?.string : "(redaction)" }
            }
            #expect(texts == ["one", nil, "three", "(redaction)"])
            let pruned = try await admin.prune("default", room: "lobby", keep: 1)
            #expect(pruned.messages == 3 && pruned.rooms == 1)

            let rules = try await admin.send(.lock("lobby", in: "default", reason: "a talk"))
            #expect(rules.locked && rules.lockReason == "a talk")
            #expect(try await admin.send(.notice("hello", to: "lobby", in: "default")).reached == 1)
            let mute = try await admin.send(.impose(.mute, on: .client(luke.id), in: "default", for: .seconds(60)))
            #expect(mute.kind == .mute && mute.subject == .client(luke.id) && mute.expires?.date != nil)
            try await admin.send(.lift(.mute, of: .client(luke.id), in: "default"))
            try await admin.send(.removeMember(luke.id, from: "lobby", in: "default", reason: "off topic"))
            for await _ in room.events {}
            #expect(room.endError?.code == .kicked)

            var actions: Set<String> = []
            for try await entry in admin.list(.audit()) { actions.insert(entry.action) }
            #expect(actions.isSuperset(of: ["message.redact", "history.prune", "room.lock", "member.kick"]))
            await client.close()
        }
    }

    @Test func `a token is made, listed and deleted`() async throws {
        try await Self.with { admin, _ in
            let token = try await admin.send(.createToken("ops", scopes: [.read], expiresIn: .seconds(3_600)))
            #expect(token.token?.isEmpty == false && token.scopes == [.read])
            #expect(try await admin.send(.tokens).tokens.map(\.name) == ["ops"])
            try await admin.send(.deleteToken("ops"))
            #expect(try await admin.send(.tokens).tokens.isEmpty)
            #expect(try await admin.isReady())
        }
    }

    @Test func `a list is read over its pages, by several tasks at once`() async throws {
        try await Self.with { admin, _ in
            for number in 1...12 { try await admin.send(.createChannel("c\(number)")) }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        var count = 0
                        for try await _ in admin.list(.channels) { count += 1 }
                        return count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 13, count: 8))
            let page = try await admin.page(of: .channels, after: nil, limit: 5)
            #expect(page.elements.count == 5 && page.next != nil)
        }
    }

    @Test func `requests and answers can be an app's own`() async throws {
        struct Total: Decodable, Sendable { let total: Int }
        try await Self.with { admin, _ in
            let request = AdminRequest(.get, ["channels", "default", "rooms"], query: [("limit", "1")])
            #expect(try await admin.send(AdminCall(request, as: Total.self)).total == 0)
            let answer = try await admin.answer(to: .statistics)
            #expect(try answer.value().connections == 0)
            #expect(try answer.response.json().description.hasPrefix(#"{"time":"#))
        }
    }

    @Test func `a backup is fetched as the broker describes it`() async throws {
        try await Self.with { admin, _ in
            let backup = try await admin.send(.createBackup)
            for file in backup.files {
                var bytes = 0
                try await admin.fetch(file, of: backup) { bytes += $0.count }
                #expect(bytes == file.bytes, "\(file.name)")
            }
            try await admin.send(.deleteBackup(backup))
        }
    }

    @Test func `requests and events survive a restart of the broker`() async throws {
        let changes = NIOLockedValueBox<[String]>([])
        try await Self.with { admin, broker in
            let events = admin.events(after: "0000000000000000-1") { change in
                changes.withLockedValue {
                    switch change {
                    case .lost: $0.append("lost")
                    case .restored: $0.append("restored")
                    }
                }
            }
            var iterator = events.makeAsyncIterator()
            #expect(try await iterator.next()?.kind == .gap)
            try await admin.send(.createChannel("shop"))
            let event = try #require(try await iterator.next())
            #expect(event.kind == .channelChanged && event.channel == "shop" && event.time?.date != nil)
            try await broker.kill9()
            try await broker.restart()
            #expect(try await admin.send(.channel("shop")).id == "shop")
            #expect(try await iterator.next()?.kind == .gap)
            #expect(changes.withLockedValue { $0 } == ["lost", "restored"])
        }
    }

    @Test func `a program publishes as an administrator, once for each key`() async throws {
        try await Self.with { admin, broker in
            let client = try RoomClient(broker.url, channel: "default")
            let room = try await client.join("lobby", of: JSON.self)
            let call = AdminCall.publish(try JSON(#"{"price":1.0}"#), to: "lobby", in: "default")
            let receipt = try await admin.send(call)
            let repeated = try await admin.send(call)
            #expect(receipt.seq == 1 && !receipt.isDuplicate && receipt.time.date != nil)
            #expect(repeated.seq == 1 && repeated.isDuplicate && repeated.id == receipt.id)
            try await admin.send(.publish(JSON("2"), to: "lobby", in: "default"))
            var messages = room.messages.makeAsyncIterator()
            #expect(await messages.next()?.json.description == #"{"price":1.0}"#)
            #expect(await messages.next()?.json.description == "2")
            let page = try await admin.send(.history(of: "lobby", in: "default"))
            #expect(try page.messages().map(\.sender.kind) == ["admin", "admin"])
            await client.close()
        }
    }

    @Test func `the events of a room continue after a place, also across a restart`() async throws {
        let changes = NIOLockedValueBox<[String]>([])
        try await Self.with { admin, broker in
            for text in ["1", "2"] {
                try await admin.send(.publish(JSON(text), to: "observable-lobby", in: "default"))
            }
            let epoch = try await admin.send(.history(of: "observable-lobby", in: "default")).epoch
            let events = admin.events(in: "observable-lobby", of: "default", after: "\(epoch):1") { change in
                changes.withLockedValue {
                    switch change {
                    case .lost: $0.append("lost")
                    case .restored: $0.append("restored")
                    }
                }
            }
            var iterator = events.makeAsyncIterator()
            let second = try #require(try await iterator.next())
            #expect(second.kind == .message && second.seq == 2 && second.message?.description == "2")
            #expect(second.place == "\(epoch):2" && second.clientID == nil)
            try await broker.kill9()
            try await broker.restart()
            try await admin.send(.publish(JSON("3"), to: "observable-lobby", in: "default"))
            #expect(try await iterator.next()?.seq == 3)
            #expect(changes.withLockedValue { $0 } == ["lost", "restored"])
            try await admin.send(.redact("3", in: "observable-lobby", of: "default"))
            #expect(try await iterator.next()?.kind == .redaction)
            let client = try RoomClient(broker.url, channel: "default")
            let room = try await client.join("observable-lobby", of: JSON.self)
            let joined = try #require(try await iterator.next())
            #expect(joined.kind == .joined && joined.clientID != nil && joined.clientID == client.clientID)
            // A notice is for those who are in the room.
            try await admin.send(.notice("hello", to: "observable-lobby", in: "default"))
            let notice = try #require(try await iterator.next())
            #expect(notice.kind == .notice && notice.place == nil)
            await room.leave()
            #expect(try await iterator.next()?.kind == .left)
            await client.close()
        }
    }

    @Test func `figures are asked for, all or after a time`() async throws {
        try await Self.with { admin, _ in
            let all = try await admin.send(.figures())
            #expect(all.samples.count < 720)
            #expect(try await admin.send(.figures(after: .distantFuture)).samples.isEmpty)
        }
    }

    @Test func `where nobody answers is told at once`() async throws {
        let admin = try AdminClient(.socket("/nowhere/admin.sock"))
        let error = await #expect(throws: AdminError.self) { try await admin.send(.statistics) }
        #expect(error?.code == .unreachable && error?.status == nil)
        var iterator = admin.events().makeAsyncIterator()
        let other = await #expect(throws: AdminError.self) { try await iterator.next() }
        #expect(other?.code == .unreachable)
    }

    @Test(arguments: ["http://a.example", "a.example", "tcp://127.0.0.1:1", "https://a.example/admin"])
    func `an address that would show a token to others is refused`(url: String) {
        let error = #expect(throws: AdminError.self) { try AdminAddress(url: url) }
        #expect(error?.code == .invalidAddress)
    }

    @Test func `certificates that are none are refused`() {
        let error = #expect(throws: AdminError.self) {
            try AdminClient(AdminAddress(url: "https://a.example"), token: "x", trustedCertificates: "/nowhere")
        }
        #expect(error?.code == .invalidCertificates)
    }
}
