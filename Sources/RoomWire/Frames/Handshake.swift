package import RoomModel

extension HandshakeRequest: Frame {
    package var type: FrameType { .handshake }

    package init(placeholder: ()) { self.init(channel: "") }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("channel", &self.channel)
        try visitor.field("client_data", &self.clientData)
        try visitor.field("token", &self.token)
        try visitor.field("resumable", &self.resumable, or: false)
        try visitor.field("resume", &self.resume)
        try visitor.field("heartbeat", &self.heartbeat, .atLeast(1))
    }
}
