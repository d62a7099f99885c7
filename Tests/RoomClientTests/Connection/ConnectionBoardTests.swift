import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct ConnectionBoardTests {
    private let board = ConnectionBoard()

    private static func names(_ states: some AsyncSequence<ConnectionState, Never>) async -> [String] {
        var names: [String] = []
        for await state in states { names.append(state.name) }
        return names
    }

    @Test func `every follower sees the states from the present one to the end`() async {
        let early = self.board.states()
        self.board.moved(to: .connecting)
        let late = self.board.states()
        self.board.moved(to: .connected(clientID: "ann"))
        self.board.moved(to: .closed(nil))
        #expect(await Self.names(early) == ["idle", "connecting", "connected ann", "closed"])
        #expect(await Self.names(late) == ["connecting", "connected ann", "closed"])
    }

    @Test func `who comes after the end sees the end`() async {
        self.board.moved(to: .closed(.left))
        #expect(await Self.names(self.board.states()) == ["closed closed"])
        #expect(await Self.names(ConnectionStates(self.board)) == ["closed closed"])
    }

    @Test func `a slow follower misses what is between, not the last`() async {
        let states = self.board.states()
        for number in 1...100 { self.board.moved(to: .connected(clientID: "\(number)")) }
        self.board.moved(to: .closed(nil))
        let names = await Self.names(states)
        #expect(names.count == 16)
        #expect(names.suffix(2) == ["connected 100", "closed"])
    }

    @Test func `the client id is the last one given`() {
        #expect(self.board.clientID == nil)
        self.board.moved(to: .connected(clientID: "ann"))
        self.board.moved(to: .waiting(retryIn: .zero, .closed))
        #expect(self.board.clientID == "ann")
        self.board.moved(to: .connected(clientID: "bob"))
        #expect(self.board.clientID == "bob")
    }

    @Test func `a follower that went away does not disturb the others`() async {
        let task = Task { [states = self.board.states()] in await Self.names(states) }
        let stays = self.board.states()
        task.cancel()
        _ = await task.value
        self.board.moved(to: .closed(nil))
        #expect(await Self.names(stays) == ["idle", "closed"])
    }
}
