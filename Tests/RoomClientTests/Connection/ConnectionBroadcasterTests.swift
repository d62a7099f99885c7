import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct ConnectionBroadcasterTests {
    private let broadcaster = ConnectionBroadcaster()

    private static func names(_ states: some AsyncSequence<ConnectionState, Never>) async -> [String] {
        var names: [String] = []
        for await state in states { names.append(state.name) }
        return names
    }

    @Test func `every follower sees the states from the present one to the end`() async {
        let early = self.broadcaster.states()
        self.broadcaster.moved(to: .connecting)
        let late = self.broadcaster.states()
        self.broadcaster.moved(to: .connected(clientID: "ann"))
        self.broadcaster.moved(to: .closed(nil))
        #expect(await Self.names(early) == ["idle", "connecting", "connected ann", "closed"])
        #expect(await Self.names(late) == ["connecting", "connected ann", "closed"])
    }

    @Test func `who comes after the end sees the end`() async {
        self.broadcaster.moved(to: .closed(.left))
        #expect(await Self.names(self.broadcaster.states()) == ["closed closed"])
        #expect(await Self.names(ConnectionStates(self.broadcaster)) == ["closed closed"])
    }

    @Test func `a slow follower misses what is between, not the last`() async {
        let states = self.broadcaster.states()
        for number in 1...100 { self.broadcaster.moved(to: .connected(clientID: "\(number)")) }
        self.broadcaster.moved(to: .closed(nil))
        let names = await Self.names(states)
        #expect(names.count == 16)
        #expect(names.suffix(2) == ["connected 100", "closed"])
    }

    @Test func `the client id is the last one given`() {
        #expect(self.broadcaster.clientID == nil)
        self.broadcaster.moved(to: .connected(clientID: "ann"))
        self.broadcaster.moved(to: .waiting(retryIn: .zero, .closed))
        #expect(self.broadcaster.clientID == "ann")
        self.broadcaster.moved(to: .connected(clientID: "bob"))
        #expect(self.broadcaster.clientID == "bob")
    }

    @Test func `a follower that went away does not disturb the others`() async {
        let task = Task { [states = self.broadcaster.states()] in await Self.names(states) }
        let stays = self.broadcaster.states()
        task.cancel()
        _ = await task.value
        self.broadcaster.moved(to: .closed(nil))
        #expect(await Self.names(stays) == ["idle", "closed"])
    }
}
