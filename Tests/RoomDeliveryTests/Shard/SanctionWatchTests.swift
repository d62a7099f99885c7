import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct SanctionWatchTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private static let channel = ChannelID.make()

    private static func add(
        _ watch: inout SanctionWatch,
        _ number: UInt64,
        until end: Int64?,
        at time: TimeAmount = .zero
    ) -> TimeAmount? {
        watch.add(number, in: Self.channel, until: end, clock: 1_000, now: Self.start + time)
    }

    @Test func `the first end of a channel sets a deadline, a later one does not`() {
        var watch = SanctionWatch([:])
        #expect(Self.add(&watch, 1, until: 6_000) == .seconds(5))
        #expect(Self.add(&watch, 2, until: 9_000) == nil)
        #expect(Self.add(&watch, 3, until: 3_000) == .seconds(2))
        #expect(watch.hasTimer(for: Self.channel))
        #expect(watch.timerFired(for: Self.channel, now: Self.start + .seconds(1)) == nil)
        #expect(watch.timerFired(for: Self.channel, now: Self.start + .seconds(2)).map(Set.init) == [1, 2, 3])
        #expect(watch.timerFired(for: Self.channel, now: Self.start + .seconds(5)) == nil, "its deadline was replaced")
    }

    @Test func `what has no end sets none, a far one is looked at every hour`() {
        var watch = SanctionWatch([:])
        #expect(Self.add(&watch, 1, until: nil) == nil)
        #expect(!watch.hasTimer(for: Self.channel))
        #expect(Self.add(&watch, 2, until: 100_000_000) == .hours(1))
        #expect(watch.numbers(in: Self.channel) == [1, 2])
        watch.forget(1, in: Self.channel)
        watch.forget(2, in: Self.channel)
        #expect(watch.numbers(in: Self.channel).isEmpty)
    }

    @Test func `a lingering session ends by a ban from the channel, or from one of its rooms`() {
        let session = ResumedSession(
            channel: Self.channel,
            clientID: ClientID("ann"),
            clientData: nil,
            user: "ann",
            rooms: [RoomName("room")]
        )
        let sanctions: [(Sanction, Bool)] = [
            (.imposed(on: .user("ann")), true), (.imposed(on: .user("ann"), in: "room"), true),
            (.imposed(on: .user("ann"), in: "other"), false), (.imposed(on: .user("bob")), false),
        ]
        for (sanction, isBanned) in sanctions {
            var watch = SanctionWatch([:])
            watch.set(ChannelModeration(sanctions: [sanction]), in: Self.channel)
            #expect(watch.isBanned(session, now: 0) == isBanned)
            watch.removed(Self.channel)
            #expect(!watch.isBanned(session, now: 0))
        }
    }
}
