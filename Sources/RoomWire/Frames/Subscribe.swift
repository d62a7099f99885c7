package import RoomModel

extension SubscribeRequest: Frame {
    package var type: FrameType { .subscribe }

    package init(placeholder: ()) { self.init(rooms: RoomSelection(placeholder: ())) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try self.rooms.fields(&visitor)
        var count = self.historyCount > 0 ? self.historyCount : nil
        var countByOldName: Int?
        try visitor.field("history_count", &count, .atLeast(0))
        try visitor.field("history", &countByOldName, .atLeast(0), when: count == nil)
        self.historyCount = count ?? countByOldName ?? 0
        try visitor.field("since", &self.since)
        if self.since != nil, case .many = self.rooms {
            try visitor.refuse("\"since\" belongs to one room: give \"room\" with it, not \"rooms\"")
        }
        try visitor.field("overflow", &self.overflow, or: .disconnect)
        try visitor.field("presence", &self.presence)
    }
}

extension OverflowPolicy: WordValue {}

/// The `since` of a subscribe: where a client stopped.
extension Position: DescribedObject {
    package init(placeholder: ()) { self.init(epoch: nil, seq: 0) }

    package static func right(_ rule: FieldRule) -> String { "an object of epoch and seq" }

    /// An epoch that is none of the broker's becomes one that matches no log.
    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var (epoch, seq) = (self.epoch?.description ?? "", self.seq)
        try visitor.field("epoch", &epoch, .like("the string of the last reply"))
        try visitor.field("seq", &seq)
        self = Position(epoch: Epoch(epoch), seq: seq)
    }
}
