import Testing

@testable import RoomClient

struct SharedRoomStateTests {
    private let state = SharedRoomState()

    private var ids: [String] { self.state.members.map(\.id) }

    @Test func `the members are those listed, and what came and went since`() {
        self.state.listed([.make("ann"), .make("bob")], count: 2)
        self.state.joined(.make("eve"))
        self.state.left(.make("ann"))
        #expect(self.ids == ["bob", "eve"])
        #expect(self.state.memberCount == 2)
    }

    @Test func `new member data takes the place of the old`() throws {
        self.state.listed([.make("ann"), .make("bob")], count: 2)
        let data = try JSON(#"{"name":"Ann"}"#)
        self.state.updated(.make("ann", data: data))
        self.state.updated(.make("nobody", data: data))
        #expect(self.state.members == [.make("ann", data: data), .make("bob")])
    }

    @Test func `who is there already is not counted again`() {
        self.state.listed([.make("ann")], count: 1)
        self.state.joined(.make("ann"))
        #expect(self.ids == ["ann"])
        #expect(self.state.memberCount == 1)
        self.state.left(.make("nobody"))
        #expect(self.state.memberCount == 1)
    }

    @Test func `of a very large room there is only the count`() {
        self.state.listed([], count: 1_500)
        self.state.joined(.make("ann"))
        self.state.joined(.make("bob"))
        self.state.left(.make("eve"))
        #expect(self.ids == [])
        #expect(self.state.memberCount == 1_501)
        self.state.listed([.make("ann")], count: 1)
        self.state.joined(.make("bob"))
        #expect(self.ids == ["ann", "bob"])
    }

    @Test func `a count at the end of the numbers does not trap`() {
        self.state.listed([], count: .max)
        self.state.joined(.make("ann"))
        #expect(self.state.memberCount > 1_500)
    }
}
