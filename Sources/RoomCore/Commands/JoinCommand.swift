package import RoomModel

/// A subscribe on its way into a room, or a subscriber that the window has moved past and that starts anew.
package struct JoinCommand: Equatable, Sendable {
    package enum Start: Equatable, Sendable {
        /// With what is published from now on, after so many of the newest messages.
        case live(historyCount: Int)
        case since(Position)
        /// A member that lagged behind the window: everything after this `seq`, or what is left of it.
        case resync(seq: UInt64, OverflowPolicy)
    }

    package var connection: ConnectionRef
    package var member: Sender
    package var clientID: ClientID
    package var wireFormat: WireFormat
    package var start: Start
    /// How many of the newest messages the member may be given of what was before it: its token's `history`.
    package var historyDepth: Int
    /// How often the session was resumed before: of two connections of one session the room takes the newer one, in whatever order
    /// the log has their joins.
    package var resumes: UInt32
    /// The room's own limit of members is not for it.
    package var isModerator: Bool
    /// Asked again by the broker, for a member that is in the room: it does not come back if it was taken out meanwhile.
    package var isRepeat: Bool
    /// Whether the member asks to be shown who is in the room; `nil`: as it has asked before, and no at first.
    package var asksPresence: Bool?

    package init(
        connection: ConnectionRef,
        member: Sender,
        clientID: ClientID,
        wireFormat: WireFormat = .jsonLines,
        start: Start = .live(historyCount: 0),
        historyDepth: Int = .max,
        resumes: UInt32 = 0,
        isModerator: Bool = false,
        isRepeat: Bool = false,
        asksPresence: Bool? = nil
    ) {
        self.connection = connection
        self.member = member
        self.clientID = clientID
        self.wireFormat = wireFormat
        self.start = start
        self.historyDepth = historyDepth
        self.resumes = resumes
        self.isModerator = isModerator
        self.isRepeat = isRepeat
        self.asksPresence = asksPresence
    }

    /// Only the store may know what it is to get first.
    package var needsStore: Bool {
        switch self.start {
        case .live: false
        case .since, .resync: true
        }
    }

    package var isResync: Bool {
        if case .resync = self.start { true } else { false }
    }
}

extension JoinCommand: RecordParts {
    package init(placeholder: ()) { self.init(connection: .blank, member: .blank, clientID: ClientID("")) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags(
            "flags of a join",
            self.isModerator,
            self.isRepeat,
            self.asksPresence != nil,
            self.asksPresence ?? false
        )
        try visitor.check("flags of a join", flags[2] || !flags[3], "nothing is asked")
        (self.isModerator, self.isRepeat, self.asksPresence) = (flags[0], flags[1], flags[2] ? flags[3] : nil)
        try visitor.part("connection", &self.connection)
        try visitor.part("member", &self.member)
        try visitor.part("client of a join", &self.clientID)
        try visitor.part("wire format", &self.wireFormat)
        try visitor.limit("history depth of a join", &self.historyDepth)
        try visitor.part("resumes of a join", &self.resumes)
        try visitor.part("start of a join", &self.start)
    }
}

extension JoinCommand.Start: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self {
        let kind = try reader.byte("start of a join")
        switch kind {
        case 1: return .live(historyCount: try reader.count("history count of a join"))
        case 2:
            let hasEpoch = try reader.flags("flags of a position", 1)[0]
            let epoch: Epoch? = hasEpoch ? try reader.read("epoch of a position") : nil
            return .since(Position(epoch: epoch, seq: try reader.number("seq of a position")))
        case 3:
            let seq = try reader.number("seq of a resync")
            return .resync(seq: seq, try reader.read("overflow policy"))
        default: throw reader.error("start of a join", .unknown("start \(kind)"))
        }
    }

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .live(let count):
            writer.write(byte: 1)
            writer.write(count: count)
        case .since(let position):
            writer.write(byte: 2)
            writer.write(flags: position.epoch != nil)
            if let epoch = position.epoch { writer.write(epoch) }
            writer.write(position.seq)
        case .resync(let seq, let policy):
            writer.write(byte: 3)
            writer.write(seq)
            writer.write(policy)
        }
    }
}
