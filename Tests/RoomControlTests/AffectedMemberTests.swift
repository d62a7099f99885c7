import NIOConcurrencyHelpers
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

@testable import RoomControl

/// The members that acts concern, as the audit log has them.
struct AffectedMemberTests {
    private let room = RoomKey.make("r", channel: "talk")
    private let root = Moderator(actor: "uid:0", origin: "unix", sender: .make("root"), person: nil)

    private func details(
        of acts: [ModerationAct],
        _ affected: AffectedMember?
    ) async throws -> [String] {
        let bench = try ControlBench()
        bench.moderated.state.withLockedValue { state in
            state.affected = affected
            state.redaction = .success(RedactionReceipt(seq: 4, targetSeq: 3, targetID: UniqueID(high: 1, low: 1)))
        }
        for act in acts { _ = try await bench.moderation.perform(act, in: self.room, by: self.root) }
        return bench.audit.map(\.details)
    }

    @Test func `a kick and a redaction are noted with whom they concern`() async throws {
        let luke = AffectedMember(client: ClientID("x"), user: "u7", name: "Luke")
        let acts: [ModerationAct] = [
            .room(.kick(ClientID("x"), reason: "spam")), .room(.redact(.seq(3), reason: "spam")),
        ]
        let who = #""client_id":"x","user":"u7","name":"Luke","reason":"spam"}"#
        #expect(try await self.details(of: acts, luke) == ["{\(who)", #"{"target_seq":3,"# + who])
    }

    @Test func `of somebody who is not known the log has what the act names`() async throws {
        let acts: [ModerationAct] = [.room(.kick(ClientID("x"), reason: nil)), .room(.redact(.seq(3), reason: nil))]
        #expect(try await self.details(of: acts, nil) == [#"{"client_id":"x"}"#, #"{"target_seq":3}"#])
    }

    @Test func `a ban of a session is noted with the name, and not as one of a user`() async throws {
        let luke = AffectedMember(client: ClientID("x"), user: "u7", name: "Luke")
        let ban = ModerationAct.impose(.ban, .client(ClientID("x")), reason: nil, seconds: nil)
        #expect(try await self.details(of: [ban], luke) == [#"{"kind":"ban","client_id":"x","name":"Luke"}"#])
    }
}
