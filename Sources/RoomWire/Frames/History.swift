package import RoomModel

extension HistoryRequest: Frame {
    package var type: FrameType { .history }

    package init(placeholder: ()) { self.init(room: RoomName("")) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        var (before, after) = (self.anchor.before, self.anchor.after)
        try visitor.field("before_seq", &before)
        try visitor.field("after_seq", &after)
        if before != nil, after != nil { try visitor.refuse("give \"before_seq\" or \"after_seq\", not both") }
        self.anchor = before.map { .before($0) } ?? after.map { .after($0) } ?? .newest
        try visitor.field("limit", &self.limit, .atLeast(1))
    }
}

extension HistoryRequest.Anchor {
    fileprivate var before: UInt64? { if case .before(let seq) = self { seq } else { nil } }
    fileprivate var after: UInt64? { if case .after(let seq) = self { seq } else { nil } }
}
