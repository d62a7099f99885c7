package import NIOCore

/// `update`: new `client_data`, of which `null` is a value, too.
package struct UpdateRequest: Frame {
    package var type: FrameType { .update }

    package private(set) var clientData: ByteBuffer

    package init(clientData: ByteBuffer) {
        self.clientData = clientData
    }

    package init(placeholder: ()) { self.init(clientData: ByteBuffer()) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("client_data", &self.clientData)
    }
}
