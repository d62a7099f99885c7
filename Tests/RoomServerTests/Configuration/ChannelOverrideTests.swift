import RoomModel
import Testing

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

    @Test func `what is named wins over what is stored`() {
        var expected = self.stored
        expected.history = nil
        #expect(ChannelOverride(id: .standard, history: .off).settings(over: self.stored) == expected)

        expected.history = HistorySettings(count: 9, age: .seconds(60))
        #expect(ChannelOverride(id: .standard, history: .count(9)).settings(over: self.stored) == expected)

        expected.history = HistorySettings(count: 7, age: .seconds(5))
        #expect(ChannelOverride(id: .standard, historyAge: .seconds(5)).settings(over: self.stored) == expected)

        expected = self.stored
        expected.durability = .process
        expected.grace = .zero
        let override = ChannelOverride(id: .standard, durability: .process, grace: .zero)
        #expect(override.settings(over: self.stored) == expected)
    }

    @Test func `a new channel has what is named and the defaults`() {
        let override = ChannelOverride(id: .standard, history: .count(5), historyAge: .seconds(1))
        let history = HistorySettings(count: 5, age: .seconds(1))
        #expect(override.settings(over: nil) == ChannelSettings(id: .standard, history: history))
        #expect(ChannelOverride(id: .standard).settings(over: nil) == ChannelSettings(id: .standard))
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
}
