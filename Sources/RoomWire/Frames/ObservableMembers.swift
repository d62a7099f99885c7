package import NIOCore
import RoomJSON
package import RoomModel

/// `observable_members`: the members of the room.
package struct ObservableMembers: Frame, Equatable, Sendable {
    package private(set) var room: RoomName
    package private(set) var present: ListedMembers

    package init(room: RoomName, _ members: MemberSnapshot) {
        (self.room, self.present) = (room, ListedMembers(members))
    }

    package init(placeholder: ()) { self.init(room: RoomName(""), MemberSnapshot([] as [Sender], count: 0)) }

    package var type: BrokerFrameType { .members }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try self.present.fields(&visitor, as: "data")
    }
}

/// The answer to a query of the members of a room.
package struct MembersReply: DescribedObject {
    private var list: ListedMembers

    package init(_ members: MemberSnapshot) {
        self.list = ListedMembers(members)
    }

    package init(placeholder: ()) { self.init(MemberSnapshot([] as [Sender], count: 0)) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try self.list.fields(&visitor, as: "members")
    }
}

/// The members of a room, as the two frames have them that list them.
package struct ListedMembers: Equatable, Sendable {
    /// An array of JSON objects, see ``SenderObject``; empty if there are more members than the broker lists.
    private var array: ByteBuffer
    /// All members, listed or not; `nil` from a broker that does not count them.
    private var total: Int?
    private var isTruncated: Bool

    fileprivate init(_ members: MemberSnapshot) {
        (self.array, self.total) = (members.list, members.count)
        self.isTruncated = members.listed < members.count
    }

    package var members: [ByteBuffer] { self.array.jsonElements }

    package var count: Int { self.total ?? self.members.count }

    fileprivate mutating func fields<Visitor: FieldVisitor & ~Copyable>(
        _ visitor: inout Visitor,
        as name: StaticString
    ) throws(Visitor.Fault) {
        try visitor.field(name, &self.array, .objects)
        try visitor.field("count", &self.total, .atLeast(0))
        try visitor.field("truncated", &self.isTruncated, or: false)
    }
}
