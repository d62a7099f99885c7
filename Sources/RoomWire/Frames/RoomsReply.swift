package import RoomModel

/// The answer about several rooms.
package struct RoomsReply: DescribedObject {
    private var rooms: [RepliedRoom]

    package init(_ rooms: [RepliedRoom]) {
        self.rooms = rooms
    }

    package init(placeholder: ()) { self.init([]) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("rooms", &self.rooms)
    }
}

/// One element of the `rooms` of a reply: a room that the client is in, has come into or has left, or why it is not in it.
package struct RepliedRoom: DescribedObject {
    /// As the client sent it, valid or not.
    private var room: String
    private var epoch: Epoch?
    private var seq: UInt64?
    /// Whether the client is shown who is in the room.
    private var presence: Bool?
    private var error: String?
    private var code: String?

    package init(room: RoomName?, epoch: Epoch?, seq: UInt64?, presence: Bool?, refusal: RequestError?) {
        (self.room, self.epoch, self.seq, self.presence) = (room?.text ?? "", epoch, seq, presence)
        (self.error, self.code) = (refusal?.text, refusal?.code.rawValue)
    }

    package init(placeholder: ()) { self.init(room: nil, epoch: nil, seq: nil, presence: nil, refusal: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
        try visitor.field("presence", &self.presence)
        try visitor.field("error", &self.error)
        try visitor.field("code", &self.code)
    }
}
