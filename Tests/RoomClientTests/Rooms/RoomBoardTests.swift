import Testing

@testable import RoomClient

struct RoomBoardTests {
    private let board = RoomBoard()

    private var ids: [String] { self.board.members.map(\.id) }

    @Test func `the members are those listed, and what came and went since`() {
        self.board.listed([.make("ann"), .make("bob")], count: 2)
        self.board.joined(.make("eve"))
        self.board.left(.make("ann"))
        #expect(self.ids == ["bob", "eve"])
        #expect(self.board.memberCount == 2)
    }

    @Test func `new member data takes the place of the old`() throws {
        self.board.listed([.make("ann"), .make("bob")], count: 2)
        let data = try JSON(#"{"name":"Ann"}"#)
        self.board.updated(.make("ann", data: data))
        self.board.updated(.make("nobody", data: data))
        #expect(self.board.members == [.make("ann", data: data), .make("bob")])
    }

    @Test func `who is there already is not counted again`() {
        self.board.listed([.make("ann")], count: 1)
        self.board.joined(.make("ann"))
        #expect(self.ids == ["ann"])
        #expect(self.board.memberCount == 1)
        self.board.left(.make("nobody"))
        #expect(self.board.memberCount == 1)
    }

    @Test func `of a very large room there is only the count`() {
        self.board.listed([], count: 1_500)
        self.board.joined(.make("ann"))
        self.board.joined(.make("bob"))
        self.board.left(.make("eve"))
        #expect(self.ids == [])
        #expect(self.board.memberCount == 1_501)
        self.board.listed([.make("ann")], count: 1)
        self.board.joined(.make("bob"))
        #expect(self.ids == ["ann", "bob"])
    }

    @Test func `a count at the end of the numbers does not trap`() {
        self.board.listed([], count: .max)
        self.board.joined(.make("ann"))
        #expect(self.board.memberCount > 1_500)
    }
}
