import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// What a channel's settings say of a room, a message, a member.
struct RoomChannelTests {
    @Test func `the first history rule that matches decides, and one that costs too much matches nothing`() {
        let channel = RoomChannel(
            settings: ChannelSettings.make(history: 9).with {
                $0.historyRules = [
                    HistoryRule(pattern: "(", history: nil), HistoryRule(pattern: "(a+)+$", history: nil),
                    HistoryRule(pattern: "^keep", history: HistorySettings(count: 1)),
                    HistoryRule(pattern: "^keep-none", history: nil), HistoryRule(pattern: "none", history: nil),
                ]
            }
        )
        let counts = ["keep", "keep-none", "none", "other", String(repeating: "a", count: 60) + "!"].map {
            channel.history(of: RoomName($0))?.count
        }
        #expect(counts == [1, 1, nil, 9, 9])
    }

    @Test func `usage never goes beyond its limit nor below nothing, and is shared by what follows`() {
        let usage = ChannelUsage()
        #expect((0..<4).map { _ in usage.connectionOpened(limit: 2) } == [true, true, false, false])
        #expect(usage.connections == 2)
        for _ in 0..<2 { usage.connectionClosed() }
        #expect(usage.connections == 0)
        #expect(RoomChannel(settings: .make(), usage: usage).usage === usage)
    }

    @Test func `a member's rate is its own, and idle members are forgotten`() {
        let gate = NewRoomGate(perSecond: 1)
        for number in 0..<10_000 { #expect(gate.take(.member(ClientID("m\(number)")), now: 0) == nil) }
        #expect(gate.take(.member(ClientID("m1")), now: 1) == 999)
        #expect(gate.take(.member(ClientID("new")), now: 2_000_000_000) == nil)
        #expect(gate.take(.member(ClientID("new")), now: 2_000_000_001) == 999)
        #expect(gate.take(.member(ClientID("m1")), now: 2_000_000_002) == nil)
    }
}
