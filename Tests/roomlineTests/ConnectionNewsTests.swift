import Testing

@testable import RoomClient
@testable import roomline

@Suite struct ConnectionNewsTests {
    private static let lost = RoomClientError(.connectionLost, "gone")
    private var news = ConnectionNews()

    @Test mutating func `trouble is told once, and its end`() {
        let states: [ConnectionState] = [
            .idle, .connecting, .connected(clientID: "1"), .waiting(retryIn: .milliseconds(1_200), Self.lost),
            .connecting,
            .waiting(retryIn: .seconds(4), Self.lost), .connecting, .connected(clientID: "1"),
            .waiting(retryIn: .zero, RoomClientError(.shuttingDown, "stopped")),
        ]
        #expect(
            states.compactMap { self.news.changed(to: $0) } == [
                "connection lost, back in 2 s…", "back", "the broker was stopped, back in 0 s…",
            ]
        )
    }

    @Test mutating func `the present trouble is always known`() {
        #expect(self.news.trouble == nil)
        _ = self.news.changed(to: .waiting(retryIn: .seconds(4), Self.lost))
        #expect(self.news.trouble == "reconnecting in 4 s")
        _ = self.news.changed(to: .connecting)
        #expect(self.news.trouble == "connecting…")
        _ = self.news.changed(to: .connected(clientID: "1"))
        #expect(self.news.trouble == nil)
    }

    @Test mutating func `the end is told with its reason`() {
        #expect(
            self.news.changed(to: .closed(RoomClientError(.banned, "go away"))) == "the connection is over: go away"
        )
        #expect(self.news.changed(to: .closed(nil)) == nil)
    }
}
