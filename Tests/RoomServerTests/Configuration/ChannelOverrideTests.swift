import Testing

@testable import RoomModel
@testable import RoomServer

@Suite struct ChannelOverrideTests {
    private let stored = ChannelSettings(
        id: .standard,
        history: HistorySettings(count: 7, age: .seconds(60)),
        durability: .power,
        grace: .seconds(3)
    )

    @Test func `what is not named stays as it is stored`() {
        #expect(ChannelOverride(id: .standard).settings(over: self.stored) == self.stored)
    }

    @Test func `what is named wins over what is stored`() throws {
        var expected = self.stored
        expected.history = nil
        #expect(try ChannelOverride("default,history=off").settings(over: self.stored) == expected)

        expected.history = HistorySettings(count: 9, age: .seconds(60))
        #expect(try ChannelOverride("default,history=9").settings(over: self.stored) == expected)

        expected.history = HistorySettings(count: 7, age: .seconds(5))
        #expect(try ChannelOverride("default,history-age=5s").settings(over: self.stored) == expected)

        expected = self.stored
        expected.durability = .process
        expected.grace = .zero
        #expect(try ChannelOverride("default,durability=process,grace=0s").settings(over: self.stored) == expected)
    }

    @Test func `the age of a history that there is not changes nothing`() throws {
        let plain = ChannelSettings(id: .standard, history: nil)
        #expect(try ChannelOverride("default,history-age=5s").settings(over: plain) == plain)
    }

    @Test func `a new channel has what is named and the defaults`() throws {
        let override = try ChannelOverride("default,history=5,history-age=1s")
        let history = HistorySettings(count: 5, age: .seconds(1))
        #expect(override.settings(over: nil) == ChannelSettings(id: .standard, history: history))
        #expect(ChannelOverride(id: .standard).settings(over: nil) == ChannelSettings(id: .standard))
    }

    @Test func `a new channel keeps what the default one does, unless its history is off`() throws {
        let standard = ChannelOverride.implied.settings(over: nil).history
        #expect(standard == HistorySettings(count: 1_000, age: .seconds(30 * 24 * 3_600)))
        #expect(try ChannelOverride("talk,auth=required").settings(over: nil).history == standard)
        #expect(
            try ChannelOverride("talk,history-age=1s").settings(over: nil).history
                == HistorySettings(count: 1_000, age: .seconds(1))
        )
        #expect(try ChannelOverride("talk,history=off").settings(over: nil).history == nil)
    }

    @Test func `a channel that exists keeps what it has`() throws {
        let plain = ChannelSettings(id: .standard, history: nil)
        #expect(try ChannelOverride("default,auth=optional").settings(over: plain).history == nil)
        #expect(ChannelOverride.implied.settings(over: plain).history == nil)
    }

    @Test func `the channel that nobody named is made but never changed`() {
        let made = ChannelOverride.implied.settings(over: nil)
        #expect(made == ChannelSettings(id: .standard, history: HistorySettings(count: 1_000)))
        #expect(ChannelOverride.implied.settings(over: self.stored) == self.stored)
    }

    @Test func `a channel that was named like the default one is changed`() throws {
        let named = try LoadedConfiguration.make("--channel", "default,history=1000").configuration.channels
        #expect(named.map { $0.settings(over: self.stored).history?.count } == [1_000])
    }

    @Test func `a flag takes every setting that says so`() {
        let said = ChannelSetting.all.filter(\.isInFlag).map(\.option)
        #expect(ChannelFlag.all.map(\.name) == said)
    }
}
