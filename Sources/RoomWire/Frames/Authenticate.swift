/// `authenticate`: another token, or the first one where the channel asks for it.
package struct AuthenticateRequest: Frame {
    package var type: FrameType { .authenticate }

    package private(set) var token: String

    package init(token: String) {
        self.token = token
    }

    package init(placeholder: ()) { self.init(token: "") }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("token", &self.token)
    }
}
