import Testing

@testable import RoomClient
@testable import Scaledrone

struct KnownMembersTests {
    private static func member(_ id: String, _ data: String? = nil) throws -> Member {
        Member(id: id, clientData: try data.map { try JSON(encoding: $0) }, authData: nil)
    }

    private static func list(_ ids: String...) throws -> KnownMembers {
        var list = KnownMembers()
        _ = list.listed(try ids.map { try Self.member($0) })
        return list
    }

    private static func describe(_ changes: [KnownMembers.Change]) -> [String] {
        changes.map { change in
            switch change {
            case .connected(let members): "connected " + members.map(\.id).joined(separator: " ")
            case .joined(let member): "joined \(member.id)"
            case .left(let member): "left \(member.id)"
            }
        }
    }

    @Test
    func `the first list connects the app to the room`() throws {
        var list = KnownMembers()
        let changes = list.listed([try Self.member("a"), try Self.member("b")])
        #expect(Self.describe(changes) == ["connected a b"])
        #expect(list.members.map(\.id) == ["a", "b"])
    }

    @Test
    func `of a later list the app is told the difference`() throws {
        var list = try Self.list("a", "b", "c")
        let kept = list.members[1]
        let changes = list.listed([try Self.member("d"), try Self.member("b")])
        #expect(Self.describe(changes) == ["left a", "left c", "joined d"])
        #expect(list.members.map(\.id) == ["d", "b"])
        #expect(list.members[1] === kept)
    }

    @Test
    func `a room that is too large to be listed has lost nobody`() throws {
        var list = try Self.list("a", "b")
        let changes = list.listed([])
        #expect(Self.describe(changes) == [])
        #expect(list.members.isEmpty)
    }

    @Test
    func `members come and go`() throws {
        var list = try Self.list("a")
        let (came, went) = (list.joined(try Self.member("b")), list.left(try Self.member("a")))
        #expect(Self.describe(came) == ["joined b"])
        #expect(Self.describe(went) == ["left a"])
        #expect(list.members.map(\.id) == ["b"])
    }

    @Test
    func `who is there already does not come once more`() throws {
        var list = try Self.list("a")
        let came = list.joined(try Self.member("a", "new"))
        #expect(Self.describe(came) == [])
        #expect(list.members.map { $0.clientData as? String } == ["new"])
    }

    @Test
    func `who went unseen goes all the same`() throws {
        var list = try Self.list("a")
        let went = list.left(try Self.member("b"))
        #expect(Self.describe(went) == ["left b"])
        #expect(list.members.map(\.id) == ["a"])
    }

    @Test
    func `a member with new data is another object in the same place`() throws {
        var list = try Self.list("a", "b")
        let former = list.members[0]
        list.updated(try Self.member("a", "new"))
        list.updated(try Self.member("c", "stranger"))
        #expect(list.members.map(\.id) == ["a", "b"])
        #expect(list.members[0].clientData as? String == "new")
        #expect(former.clientData == nil)
    }

    @Test
    func `a sender is the object of the list as long as its data is the same`() throws {
        let list = try Self.list("a")
        let (same, changed) = (list.known(try Self.member("a")), list.known(try Self.member("a", "then")))
        #expect(same === list.members[0])
        #expect(changed.clientData as? String == "then")
        #expect(list.members[0].clientData == nil)
    }
}
