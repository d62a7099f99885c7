import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import RoomHTTP

@Suite struct ConsoleSessionsTests {
    private let now = NIOLockedValueBox<UInt64>(1_000)
    private let sessions: ConsoleSessions
    private static let minute: UInt64 = 60 * 1_000_000_000

    init() {
        let drawn = NIOLockedValueBox(0)
        var limits = ConsoleSessions.Limits()
        limits.sessions = 3
        limits.links = 3
        self.sessions = ConsoleSessions(
            limits: limits,
            random: {
                drawn.withLockedValue { number in
                    number += 1
                    return "secret\(number)"
                }
            },
            uptime: { [now] in now.withLockedValue(\.self) }
        )
    }

    private func pass(minutes: UInt64) { self.now.withLockedValue { $0 += minutes * Self.minute } }

    private let holder = ConsoleSessions.Holder.token(hash: [1, 2, 3])

    @Test func `a session needs both of its secrets`() {
        let session = self.sessions.begin(self.holder)
        #expect(self.sessions.find(session.id, proof: session.proof) == .found(self.holder, secondsLeft: 8 * 3_600))
        #expect(self.sessions.find(session.id, proof: nil) == .proofMissing)
        #expect(self.sessions.find(session.id, proof: session.id) == .proofMissing)
        #expect(self.sessions.find(session.proof, proof: session.proof) == .ended)
        #expect(self.sessions.find("", proof: "") == .ended)
    }

    @Test func `a session ends when it is not used for 30 minutes`() {
        let session = self.sessions.begin(self.holder)
        self.pass(minutes: 29)
        #expect(self.sessions.find(session.id, proof: nil) == .proofMissing)
        self.pass(minutes: 1)
        #expect(self.sessions.find(session.id, proof: session.proof) == .ended, "a request without proof is no use")
    }

    @Test func `what an unattended page asks keeps no session`() {
        let session = self.sessions.begin(self.holder)
        self.pass(minutes: 29)
        #expect(self.sessions.find(session.id, proof: session.proof, isUse: false) != .ended)
        self.pass(minutes: 1)
        #expect(self.sessions.find(session.id, proof: session.proof, isUse: false) == .ended)
    }

    @Test func `requests at the same time do not see each other's future`() async {
        let sessions = ConsoleSessions(random: { "secret" }, uptime: { NIODeadline.now().uptimeNanoseconds })
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 { _ = sessions.find(sessions.begin(.user(uid: 1)).id, proof: nil) }
                }
            }
        }
        #expect(sessions.find("secret", proof: "secret") != .ended)
    }

    @Test func `a session ends after eight hours`() {
        let session = self.sessions.begin(self.holder)
        for _ in 0..<23 {
            self.pass(minutes: 20)
            #expect(self.sessions.find(session.id, proof: session.proof) != .ended)
        }
        self.pass(minutes: 20)
        #expect(self.sessions.find(session.id, proof: session.proof) == .ended)
    }

    @Test func `a session ends at its holder's word`() {
        let (one, other) = (self.sessions.begin(self.holder), self.sessions.begin(self.holder))
        self.sessions.end(one.id)
        #expect(self.sessions.find(one.id, proof: one.proof) == .ended)
        #expect(self.sessions.find(other.id, proof: other.proof) != .ended)
    }

    @Test func `there are so many sessions, and the one that was not used for longest makes room`() {
        let begun = (0..<3).map { _ in
            self.pass(minutes: 1)
            return self.sessions.begin(self.holder)
        }
        self.pass(minutes: 1)
        _ = self.sessions.find(begun[0].id, proof: begun[0].proof)
        let last = self.sessions.begin(.user(uid: 7))
        #expect(self.sessions.find(begun[1].id, proof: begun[1].proof) == .ended)
        for session in [begun[0], begun[2], last] {
            #expect(self.sessions.find(session.id, proof: session.proof) != .ended)
        }
    }

    @Test func `a link works once, for a minute`() {
        let link = self.sessions.makeLink(for: .user(uid: 7))
        #expect(self.sessions.redeem("secret") == nil)
        #expect(self.sessions.redeem(link) == .user(uid: 7))
        #expect(self.sessions.redeem(link) == nil)
        let late = self.sessions.makeLink(for: .user(uid: 7))
        self.pass(minutes: 1)
        #expect(self.sessions.redeem(late) == nil)
    }

    @Test func `the oldest link makes room`() {
        let links = (0..<4).map { _ in
            self.now.withLockedValue { $0 += 1 }
            return self.sessions.makeLink(for: self.holder)
        }
        #expect(links.map { self.sessions.redeem($0) != nil } == [false, true, true, true])
    }
}
