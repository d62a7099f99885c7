package import RoomModel

/// The answer to a subscribe: the end of the room's log when the subscription begins.
package struct SubscribeReply: DescribedObject, Equatable, Sendable {
    /// `nil` if the broker gave none, or one that this client cannot read.
    package private(set) var epoch: Epoch?
    /// The `seq` of the newest message; 0 if there is none.
    package private(set) var seq: UInt64
    /// Whether all missed messages follow; `nil` if the subscribe had no `since`.
    package private(set) var recovered: Bool?
    /// Whether the broker shows this client who is in the room; `nil` if the subscribe did not ask, or from an older broker.
    package private(set) var presence: Bool?

    package init(epoch: Epoch?, seq: UInt64, recovered: Bool?, presence: Bool? = nil) {
        (self.epoch, self.seq, self.recovered, self.presence) = (epoch, seq, recovered, presence)
    }

    package init(placeholder: ()) { self.init(epoch: nil, seq: 0, recovered: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var (epoch, seq) = (self.epoch?.description, Optional(self.seq))
        try visitor.field("epoch", &epoch)
        try visitor.field("seq", &seq, .countable)
        (self.epoch, self.seq) = (epoch.flatMap { Epoch($0) }, seq ?? 0)
        try visitor.field("recovered", &self.recovered)
        try visitor.field("presence", &self.presence)
    }
}
