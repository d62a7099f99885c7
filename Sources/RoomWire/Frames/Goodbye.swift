package import RoomModel

/// `goodbye`: the broker closes the connection, for this reason.
package struct Goodbye: Frame, Equatable, Sendable {
    package var type: BrokerFrameType { .goodbye }

    /// A word of the protocol's; newer brokers may have newer ones.
    package private(set) var code: String
    /// For people.
    package private(set) var reason: String
    package private(set) var reconnects: Bool
    package private(set) var retryAfterMilliseconds: Int?

    package init(_ code: Code, reason: String, retryAfterMilliseconds: Int? = nil) {
        self.code = code.rawValue
        self.reason = reason
        self.reconnects = code.reconnects
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    package init(placeholder: ()) { self.init(.internal, reason: "") }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("code", &self.code)
        try visitor.field("reason", &self.reason)
        try visitor.field("reconnect", &self.reconnects)
        try visitor.field("retry_after_ms", &self.retryAfterMilliseconds, .atLeast(0))
    }
}
