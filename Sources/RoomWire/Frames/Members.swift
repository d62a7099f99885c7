import RoomModel

/// `members`: who is in a room.
struct MembersRequest: Frame {
    var type: FrameType { .members }

    private(set) var room = RoomName("")

    init(placeholder: ()) {}

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
    }
}
