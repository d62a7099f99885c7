import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

@testable import RoomControl
@testable import RoomMetrics

/// What members ask for, what cannot be stored, and what becomes of a channel's moderation.
@Suite struct ModerationRegistryTests {
    private let room = RoomKey.make("r", channel: "talk")
    private let ann = Moderator(
        actor: "member:ann",
        origin: "192.0.2.1",
        sender: .make("ann"),
        person: SanctionedPerson(user: "ann", client: ClientID("a"), address: IPAddress("192.0.2.1"))
    )
    private let root = Moderator(actor: "uid:0", origin: "unix", sender: .make("root"), person: nil)

    private static let acts: [(ModerationAct, String)] = [
        (.room(.kick(ClientID("x"), reason: nil)), "member.kick"),
        (.impose(.ban, .user("1"), reason: nil, seconds: nil), "sanction.impose"),
        (.lift(.mute, .user("2")), "sanction.lift"),
        (.lock(reason: nil), "room.lock"), (.unlock, "room.unlock"), (.slowMode(seconds: 5), "room.slow_mode"),
        (.limitMembers(count: 5), "room.limit_members"), (.room(.redact(.seq(1), reason: nil)), "message.redact"),
        (.room(.clear), "room.clear"), (.room(.notice(Notice(text: "hello"))), "room.notice"),
    ]

    private func bench() async throws -> ControlBench {
        let bench = try ControlBench()
        bench.moderated.state.withLockedValue { state in
            state.redaction = .success(RedactionReceipt(seq: 4, targetSeq: 3, targetID: UniqueID(high: 1, low: 1)))
        }
        return bench
    }

    @Test func `each act of a member is noted once, with who did it and from where`() async throws {
        let bench = try await self.bench()
        _ = try await bench.moderation.perform(
            .impose(.mute, .user("2"), reason: nil, seconds: nil),
            in: self.room,
            by: self.ann
        )
        for (act, action) in Self.acts {
            let before = bench.audit.count
            let receipt = try await bench.moderation.perform(act, in: self.room, by: self.ann)
            switch act {
            case .room(.redact): #expect(receipt != .done)
            case .room(.clear): #expect(receipt == .cleared(Epoch(rawValue: 2)))
            case .room(.notice): #expect(receipt == .notified(3))
            default: #expect(receipt == .done)
            }
            let entries = bench.audit[before...]
            #expect(entries.map(\.action) == [action])
            #expect(
                entries.allSatisfy { $0.actor == "member:ann" && $0.origin == "192.0.2.1" && $0.target == "talk/r" }
            )
            #expect(bench.metrics.render().contains("roomline_moderation_acts_total{action=\"\(action)\"} "))
        }
        let sanctions = await bench.moderation.moderation(of: self.room.channel).sanctions.all
        #expect(sanctions.map(\.key) == [Sanction.Key(.ban, of: .user("1"), in: self.room.room)])
        #expect(sanctions.map(\.author) == ["member:ann"])
    }

    @Test func `all messages of somebody are one act, however many requests it takes`() async throws {
        let bench = try await self.bench()
        let end = Position(epoch: Epoch(rawValue: 1), seq: 9_000)
        bench.moderated.state.withLockedValue { state in
            state.clients = [ClientID("c")]
            state.steps = (1...40).map { AuthorStep.Receipt(count: 128, next: UInt64($0) * 200, end: end) }
        }
        let first = try await bench.moderation.perform(
            .banAndRedact(.user("u7"), reason: "spam", seconds: 60),
            in: self.room,
            by: self.ann
        )
        // then it is enough for one request
        #expect(first == .redactedAll(RedactedPart(count: 4_096, next: 6_400)))
        bench.moderated.state.withLockedValue { state in
            state.clients = []
            state.steps = [AuthorStep.Receipt(count: 3, next: nil, end: end)]
        }
        let act = ModerationAct.redactAll(.user("u7"), after: 6_400, reason: "spam")
        let second = try await bench.moderation.perform(act, in: self.room, by: self.ann)
        #expect(second == .redactedAll(RedactedPart(count: 3)))
        #expect(bench.audit.map(\.action) == ["sanction.impose"])
        #expect(
            bench.audit.first?.details
                == #"{"kind":"ban","user":"u7","reason":"spam","seconds":60,"redact":true}"#
        )
        let steps = bench.moderated.calls.compactMap { call -> AuthorStep? in
            if case .redactSome(let step, _, _) = call { step } else { nil }
        }
        // the ban has ended the session, but it is still known
        #expect(steps.allSatisfy { $0.author == MessageAuthor(user: "u7", clients: [ClientID("c")]) })
        #expect(steps.map(\.after) == [0] + (1...31).map { UInt64($0) * 200 } + [6_400])
        #expect(steps.dropFirst().dropLast().allSatisfy { $0.end == end })
    }

    @Test func `where nothing is stored of somebody nothing is noted`() async throws {
        let bench = try await self.bench()
        let act = ModerationAct.redactAll(.user("u7"), after: 0, reason: nil)
        #expect(
            try await bench.moderation.perform(act, in: self.room, by: self.ann)
                == .redactedAll(RedactedPart(count: 0))
        )
        #expect(bench.audit.isEmpty)
    }

    @Test func `a moderator sees the rules, the bans and the mutes of the room`() async throws {
        let bench = try await self.bench()
        _ = try await bench.moderation.perform(.lock(reason: "night"), in: self.room, by: self.ann)
        _ = try await bench.moderation.perform(
            .impose(.mute, .user("2"), reason: "spam", seconds: 60),
            in: self.room,
            by: self.ann
        )
        let ofChannel = Sanction.Key(.mute, of: .user("3"), in: nil)
        _ = try await bench.moderation.impose(
            ofChannel,
            in: self.room.channel,
            reason: nil,
            seconds: nil,
            by: self.root
        )
        let noted = bench.audit.count
        guard
            case .shown(let state) = try await bench.moderation.perform(
                .show(authorOf: nil),
                in: self.room,
                by: self.ann
            )
        else {
            Issue.record("no state was shown")
            return
        }
        #expect(state.rules.lockReason == "night")
        #expect(state.sanctions.map(\.key) == [Sanction.Key(.mute, of: .user("2"), in: self.room.room)])
        #expect(state.total == 1)
        #expect(bench.audit.count == noted)
    }

    @Test func `an act is counted when it is done`() async throws {
        let bench = try await self.bench()
        #expect(bench.metrics.render().contains(#"roomline_moderation_acts_total{action="member.kick"} 0"#))
        _ = try await bench.moderation.perform(.kick(ClientID("x"), reason: nil), in: self.room, by: self.ann)
        bench.moderated.state.withLockedValue { $0.hasMember = false }
        _ = try? await bench.moderation.perform(.kick(ClientID("x"), reason: nil), in: self.room, by: self.ann)
        #expect(bench.metrics.render().contains(#"roomline_moderation_acts_total{action="member.kick"} 1"#))
    }

    @Test(arguments: 0..<Self.acts.count) func `what cannot be noted is not done`(_ index: Int) async throws {
        let bench = try await self.bench()
        _ = try await bench.moderation.perform(
            .impose(.mute, .user("2"), reason: nil, seconds: nil),
            in: self.room,
            by: self.ann
        )
        _ = try await bench.moderation.perform(.lock(reason: "first"), in: self.room, by: self.ann)
        let (calls, moderation) = (
            bench.moderated.calls, await bench.moderation.moderation(of: self.room.channel)
        )
        bench.directory.state.withLockedValue { $0.isBroken = true }
        await #expect {
            try await bench.moderation.perform(Self.acts[index].0, in: self.room, by: self.ann)
        } throws: { error in
            let error = error as? RequestError
            return error?.code == .storageUnavailable && error?.text.contains("the disk is gone") == false
        }
        #expect(bench.moderated.calls == calls)
        #expect(await bench.moderation.moderation(of: self.room.channel) == moderation)
    }

    @Test func `an act is noted before it is done, and taken back where it is refused`() async throws {
        let bench = try await self.bench()
        let noted = NIOLockedValueBox<[Int]>([])
        let directory = bench.directory
        bench.moderated.state.withLockedValue { state in
            state.meanwhile = {
                let count = directory.state.withLockedValue { $0.audit.count }
                noted.withLockedValue { $0.append(count) }
            }
            state.clearing = .failure(RequestError(.unknownChannel, "gone"))
        }
        await #expect(throws: RequestError(.unknownChannel, "gone")) {
            try await bench.moderation.perform(.clear, in: self.room, by: self.ann)
        }
        #expect(noted.withLockedValue(\.self) == [1])
        #expect(bench.audit.isEmpty)
    }

    @Test func `what may have been done stays noted`() async throws {
        let bench = try await self.bench()
        bench.moderated.state.withLockedValue { $0.clearing = .failure(RequestError(.storageUnavailable, "try again")) }
        await #expect(throws: RequestError(.storageUnavailable, "try again")) {
            try await bench.moderation.perform(.clear, in: self.room, by: self.ann)
        }
        #expect(bench.audit.map(\.action) == ["room.clear"])
    }

    @Test(arguments: [
        ModerationAct.room(.kick(ClientID(""), reason: nil)), .impose(.ban, .user(""), reason: nil, seconds: nil),
        .room(.kick(ClientID("x"), reason: String(repeating: "x", count: 501))),
        .impose(.ban, .client(ClientID("\0")), reason: nil, seconds: 1),
        .impose(.ban, .user("1"), reason: nil, seconds: 0), .impose(.mute, .user("1"), reason: "\u{7}", seconds: 1),
        .impose(.ban, .user("1"), reason: nil, seconds: ModerationAct.longestSanction + 1), .lock(reason: ""),
        .slowMode(seconds: 86_401), .slowMode(seconds: -1), .limitMembers(count: 1_000_001),
        .room(.redact(.seq(1), reason: "")), .room(.notice(Notice(text: ""))),
        .room(.notice(Notice(text: String(repeating: "ü", count: 1_001)))),
    ])
    func `an act keeps to its bounds`(_ act: ModerationAct) async throws {
        let bench = try await self.bench()
        await #expect {
            try await bench.moderation.perform(act, in: self.room, by: self.ann)
        } throws: { error in
            (error as? RequestError)?.code == .invalidField
        }
        #expect(bench.audit.isEmpty)
        #expect(bench.moderated.calls.isEmpty)
    }

    @Test(arguments: 0..<Self.acts.count) func `who was banned while its act waited does not act`(
        _ index: Int
    ) async throws {
        for (subject, room) in [
            (SanctionSubject.user("ann"), nil), (.client(ClientID("a")), self.room.room),
            (.address(try #require(AddressRange("192.0.2.0/24"))), self.room.room),
        ] as [(SanctionSubject, RoomName?)] {
            let bench = try await self.bench()
            let ban = Sanction.Key(.ban, of: subject, in: room)
            _ = try await bench.moderation.impose(ban, in: self.room.channel, reason: nil, seconds: 60, by: self.root)
            let (calls, audit) = (bench.moderated.calls, bench.audit)
            for act in [Self.acts[index].0, .lift(.ban, subject)] {
                await #expect {
                    try await bench.moderation.perform(act, in: self.room, by: self.ann)
                } throws: { error in
                    (error as? RequestError)?.code == .banned
                }
            }
            #expect(bench.moderated.calls == calls && bench.audit == audit)
            bench.clock.withLockedValue { $0 += 61_000 }
            _ = try await bench.moderation.perform(.clear, in: self.room, by: self.ann)
        }
    }

    @Test func `a ban elsewhere keeps nobody from acting here`() async throws {
        let bench = try await self.bench()
        let ban = Sanction.Key(.ban, of: .user("ann"), in: RoomName("other"))
        _ = try await bench.moderation.impose(ban, in: self.room.channel, reason: nil, seconds: nil, by: self.root)
        _ = try await bench.moderation.perform(.clear, in: self.room, by: self.ann)
    }

    // MARK: Bounds

    /// A registry of a channel in which so much is set.
    private func full(
        _ bench: ControlBench,
        sanctions: Range<Int>,
        of room: RoomName?,
        rules: Int = 0
    ) -> ModerationRegistry {
        let sanctions = sanctions.map { number in
            Sanction.imposed(on: .user("\(number)"), in: room?.text)
        }
        let rules = (0..<rules).map { (RoomName("room \($0)"), RoomRules.make(locked: true)) }
        return ModerationRegistry(
            channels: [
                self.room.channel: ChannelModeration(
                    sanctions: sanctions,
                    rules: Dictionary(uniqueKeysWithValues: rules)
                )
            ],
            directory: bench.directory,
            rooms: bench.moderated,
            instruments: ControlBench.instruments(bench.metrics),
            events: bench.events,
            clock: { ControlBench.now },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func refusesSanction(_ registry: ModerationRegistry, _ user: String, by moderator: Moderator) async -> Bool
    {
        let key = Sanction.Key(.ban, of: .user(user), in: self.room.room)
        do throws(RequestError) {
            _ = try await registry.impose(key, in: self.room.channel, reason: nil, seconds: nil, by: moderator)
            return false
        } catch {
            #expect(error.code == .tooManySanctions)
            return true
        }
    }

    @Test func `a channel has so many sanctions at most`() async throws {
        let bench = try await self.bench()
        let full = self.full(bench, sanctions: 0..<10_000, of: nil)
        #expect(await self.refusesSanction(full, "1", by: self.root))
        let again = Sanction.Key(.ban, of: .user("1"), in: nil)
        _ = try await full.impose(again, in: self.room.channel, reason: "again", seconds: nil, by: self.root)
        try await full.lift(again, in: self.room.channel, by: self.root)
        #expect(await !self.refusesSanction(full, "1", by: self.root))
    }

    @Test func `members leave the last of a channel's sanctions to administrators`() async throws {
        let bench = try await self.bench()
        let full = self.full(bench, sanctions: 0..<8_999, of: nil)
        #expect(await !self.refusesSanction(full, "x", by: self.ann))
        #expect(await self.refusesSanction(full, "y", by: self.ann))
        #expect(await !self.refusesSanction(full, "x", by: self.ann))
        #expect(await !self.refusesSanction(full, "y", by: self.root))
    }

    @Test func `members of one room do not use up the channel's sanctions`() async throws {
        let bench = try await self.bench()
        let full = self.full(bench, sanctions: 0..<999, of: self.room.room)
        #expect(await !self.refusesSanction(full, "x", by: self.ann))
        #expect(await self.refusesSanction(full, "y", by: self.ann))
        #expect(await !self.refusesSanction(full, "x", by: self.ann))
        let elsewhere = RoomKey.make("other", channel: "talk")
        let act = ModerationAct.impose(.ban, .user("y"), reason: nil, seconds: nil)
        _ = try await full.perform(act, in: elsewhere, by: self.ann)
        #expect(await !self.refusesSanction(full, "y", by: self.root))
    }

    @Test func `members leave the last rooms with rules to administrators`() async throws {
        let bench = try await self.bench()
        let full = self.full(bench, sanctions: 0..<0, of: nil, rules: 9_000)
        await #expect {
            try await full.perform(.lock(reason: nil), in: self.room, by: self.ann)
        } throws: { error in
            (error as? RequestError)?.code == .tooManySanctions
        }
        _ = try await full.perform(.slowMode(seconds: 5), in: .make("room 1", channel: "talk"), by: self.ann)
        _ = try await full.perform(.lock(reason: nil), in: self.room, by: self.root)
    }

    @Test func `the moderation of a channel goes with it`() async throws {
        let bench = try await self.bench()
        for act in [ModerationAct.impose(.ban, .user("1"), reason: nil, seconds: nil), .lock(reason: nil)] {
            _ = try await bench.moderation.perform(act, in: self.room, by: self.ann)
        }
        let caller = AdminCaller(actor: "uid:0", origin: "unix")
        try await bench.registry.delete(self.room.channel, if: .any, by: caller)
        #expect(bench.moderated.calls.last == .changed(ChannelModeration(), self.room.channel, [self.room.room]))
        let secret = ChannelSecret(text: "new")
        _ = try await bench.registry.create(.make("talk"), secret: secret, by: caller, details: "{}")
        let moderation = await bench.moderation.moderation(of: self.room.channel)
        #expect(moderation == ChannelModeration())
    }

    @Test func `nothing is set in a channel that has just gone`() async throws {
        let bench = try await self.bench()
        bench.directory.state.withLockedValue { $0.channels.removeAll() }
        for act in [ModerationAct.impose(.ban, .user("1"), reason: nil, seconds: nil), .lock(reason: nil)] {
            await #expect {
                try await bench.moderation.perform(act, in: self.room, by: self.ann)
            } throws: { error in
                (error as? RequestError)?.code == .unknownChannel
            }
        }
        #expect(bench.moderated.calls.isEmpty)
    }

    @Test func `acts in a channel are made one after the other`() async throws {
        let bench = try await self.bench()
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    let act = ModerationAct.impose(.ban, .user("\(number)"), reason: nil, seconds: nil)
                    _ = try await bench.moderation.perform(act, in: self.room, by: self.ann)
                }
            }
        }
        let counts = bench.moderated.calls.map { call in
            if case .changed(let moderation, _, _) = call { moderation.sanctions.count } else { 0 }
        }
        #expect(counts == Array(1...50))
        #expect(bench.audit.count == 50)
    }

    @Test func `the queue answers what members asked for before the end, and nothing after it`() async throws {
        let bench = try await self.bench()
        let queue = ModerationQueue(registry: bench.moderation) { 0 }
        let (answers, answered) = AsyncStream.makeStream(of: Result<ModerationReceipt, RequestError>.self)
        var answer = answers.makeAsyncIterator()
        queue.perform(.room(.clear), in: self.room, by: self.ann) { answered.yield($0) }
        let run = Task { try await queue.run() }
        #expect(await answer.next() == .success(.cleared(Epoch(rawValue: 2))))
        run.cancel()
        try await run.value
        queue.perform(.room(.clear), in: self.room, by: self.ann) { answered.yield($0) }
        let late = await answer.next()
        #expect(throws: RequestError.self) { try late?.get() }
        #expect(bench.audit.count == 1)
    }
}
