import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// The bans and mutes of a channel, and whom they hold for.
struct SanctionTableTests {
    private static let now = ManualClock.start

    private static func person(
        _ user: String? = nil,
        client: String = "c1",
        from address: String = "192.0.2.1"
    ) -> SanctionedPerson {
        SanctionedPerson(user: user, client: ClientID(client), address: IPAddress(address))
    }

    @Test(
        arguments: [
            (SanctionSubject.user("bob"), person("bob"), person("ann")), (.user("bob"), person("bob"), person()),
            (.client("c1"), person(), person(client: "c2")),
            (.network("192.0.2.1"), person(), person(from: "192.0.2.2")),
            (.network("192.0.2.0/24"), person(), person(from: "192.0.3.1")),
            (.network("2001:db8::/32"), person(from: "2001:db8::7"), person()),
        ]
    )
    func `a ban holds for its subject and nobody else`(
        subject: SanctionSubject,
        met: SanctionedPerson,
        other: SanctionedPerson
    ) {
        let ban = Sanction.imposed(on: subject)
        let table = SanctionTable([ban])
        #expect(table.activeSanctions(of: met, now: Self.now).channelBan == ban)
        #expect(table.activeSanctions(of: other, now: Self.now).isClear)
    }

    @Test func `names are compared byte by byte, as the control file does`() {
        let (composed, decomposed) = ("Ren\u{e9}", "Rene\u{301}")
        #expect(SanctionSubject.client(ClientID(composed)) != .client(ClientID(decomposed)))
        var table = SanctionTable([.imposed(on: .user(composed))])
        #expect(table.activeSanctions(of: Self.person(decomposed), now: Self.now).isClear)
        #expect(!table.activeSanctions(of: Self.person(composed), now: Self.now).isClear)
        let other = Sanction.imposed(on: .user(decomposed))
        table.set(other)
        #expect(table.count == 2)
        table.remove(other.key)
        #expect(!table.activeSanctions(of: Self.person(composed), now: Self.now).isClear)
    }

    @Test func `a sanction holds until it ends`() {
        let table = SanctionTable([.imposed(.mute, on: .user("bob"), seconds: 60)])
        let end = Self.now + 60_000
        #expect(!table.activeSanctions(of: Self.person("bob"), now: end - 1).isClear)
        #expect(table.activeSanctions(of: Self.person("bob"), now: end).isClear)
        #expect(table.activeSanctions(of: Self.person("bob"), now: end - 1).nextEnd == end)
    }

    @Test func `another one of the same key takes its place, and one that is removed is gone`() {
        var table = SanctionTable([.imposed(on: .user("bob"), reason: "a"), .imposed(.mute, on: .user("bob"))])
        let second = Sanction.imposed(on: .user("bob"), reason: "b")
        table.set(second)
        #expect(table.count == 2)
        #expect(table[second.key] == second)
        table.remove(second.key)
        table.remove(second.key)
        let activeSanctions = table.activeSanctions(of: Self.person("bob"), now: Self.now)
        #expect(activeSanctions.channelBan == nil)
        #expect(activeSanctions.mute(in: RoomName("room")) != nil)
    }

    @Test func `an address that was lifted holds no more, its network still does`() {
        var table = SanctionTable([.imposed(on: .network("192.0.2.1")), .imposed(.mute, on: .network("192.0.2.0/24"))])
        table.remove(.init(.ban, of: .network("192.0.2.1"), in: nil))
        let activeSanctions = table.activeSanctions(of: Self.person(), now: Self.now)
        #expect(activeSanctions.channelBan == nil)
        #expect(activeSanctions.mute(at: .channel) != nil)
    }

    @Test func `an address is found in ranges of any length, and only in those of its family`() {
        var table = SanctionTable((0..<200).map { .imposed(on: .network("10.0.\($0).0/24")) })
        table.set(.imposed(.mute, on: .network("10.0.0.0/8")))
        table.set(.imposed(.mute, on: .network("::/0"), in: "v6"))
        let met = table.activeSanctions(of: Self.person(from: "10.0.199.7"), now: Self.now)
        #expect(met.channelBan?.key.subject == .network("10.0.199.0/24"))
        #expect(met.mute(at: .channel) != nil)
        #expect(met.mute(at: .room(RoomName("v6"))) == nil)
        #expect(table.activeSanctions(of: Self.person(from: "10.0.200.7"), now: Self.now).channelBan == nil)
        #expect(table.activeSanctions(of: Self.person(from: "11.0.0.1"), now: Self.now).isClear)
        let v6 = table.activeSanctions(of: Self.person(from: "2001:db8::1"), now: Self.now)
        #expect(v6.mute(at: .room(RoomName("v6"))) != nil && v6.channelBan == nil)
        for number in 0..<199 { table.remove(.init(.ban, of: .network("10.0.\(number).0/24"), in: nil)) }
        #expect(table.activeSanctions(of: Self.person(from: "10.0.199.7"), now: Self.now).channelBan != nil)
        table.remove(.init(.ban, of: .network("10.0.199.0/24"), in: nil))
        #expect(table.activeSanctions(of: Self.person(from: "10.0.199.7"), now: Self.now).channelBan == nil)
    }

    @Test func `a room's sanctions hold in the room, the channel's everywhere; the longer one is told`() {
        let table = SanctionTable([
            .imposed(on: .client("c1"), in: "a"), .imposed(.mute, on: .client("c1"), seconds: 60),
            .imposed(.mute, on: .user("bob"), reason: "long", seconds: 600),
        ])
        let activeSanctions = table.activeSanctions(of: Self.person("bob"), now: Self.now)
        #expect(activeSanctions.ban(from: RoomName("a")) != nil)
        #expect(activeSanctions.ban(from: RoomName("b")) == nil)
        #expect(activeSanctions.channelBan == nil)
        #expect(activeSanctions.mute(in: RoomName("b"))?.reason == "long")
    }

    // MARK: Whom a change concerns

    @Test func `a change names those whom what is new can concern`() {
        let old = SanctionTable([.imposed(on: .user("old")), .imposed(on: .client("c1"))])
        var new = old
        new.set(.imposed(on: .user("bob")))
        let change = SanctionChange(from: old, to: new)
        #expect(change.bans && !change.lifts && change.needsSearch)
        #expect(change.concerns(Self.person("bob")))
        #expect(!change.concerns(Self.person("old", client: "c2")))
        #expect(change.clients.isEmpty)
    }

    @Test func `what is lifted or has another end concerns those for whom it held`() {
        let old = SanctionTable([.imposed(.mute, on: .client("c1")), .imposed(.mute, on: .network("192.0.2.0/24"))])
        var new = old
        new.remove(.init(.mute, of: .client("c1"), in: nil))
        #expect(SanctionChange(from: old, to: new).lifts)
        #expect(!SanctionChange(from: old, to: new).needsSearch)
        new.set(.imposed(.mute, on: .client("c1"), seconds: 5))
        let changed = SanctionChange(from: old, to: new)
        #expect(changed.lifts && changed.clients == [ClientID("c1")] && !changed.bans)
        #expect(SanctionChange(from: old, to: old) == SanctionChange(from: new, to: new))
    }

    @Test func `an error says until when and why`() {
        let ban = RequestError.banned(.imposed(on: .user("bob"), in: "a", reason: "spam", seconds: 60))
        #expect(ban.text == "you are banned from this room until 2025-11-21T04:01:00Z: spam")
        #expect(RequestError.muted(.imposed(.mute, on: .user("bob"))).text == "you are muted in this channel")
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (951_782_399_999, "2000-02-28T23:59:59Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (1_767_225_599_000, "2025-12-31T23:59:59Z"),
    ])
    func `a moment is written in UTC`(milliseconds: Int64, text: String) {
        #expect(UTCTime.text(milliseconds: milliseconds) == text)
    }
}
