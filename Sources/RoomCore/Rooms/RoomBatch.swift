package import NIOCore
package import RoomModel

/// The work that a room takes in one go: entries in order, to be encoded, committed if need be, and sealed into a
/// chunk, and the answers between them.
package struct RoomBatch: Equatable, Sendable {
    package var entries: [RoomEntry] = []
    package var answers: [RoomAnswer] = []
    /// The tombstones that take the place of messages that are in the log already.
    package internal(set) var tombstones: [Tombstone] = []
    /// The stamp of the clear that it tells of.
    package internal(set) var clear: UniqueID?
    /// Messages that are in the log already are redacted or cleared.
    package var takesBack: Bool { self.clear != nil || !self.tombstones.isEmpty }
    /// Whether the store has to commit it before anybody may see it: it has entries of the log.
    package var needsCommit = false
    private var authors = Authors.none
    /// The newest message before it.
    package var seqBefore: UInt64
    /// Those of the subscribers at its start, and of all who join in it.
    package internal(set) var formats: WireFormats
    /// The rest of the turn's ids is the next turn's.
    package internal(set) var turn: RoomTurn
    private let showsAuthData: Bool
    /// The bytes that the lists of members in the answers take, each counted as often as it is sent; but the one that
    /// joins share is counted once: for each of them it is copied when its connection is flushed.
    package private(set) var listedBytes = 0
    private var countedBytes = 0
    /// Where a member's newest data is told, if nothing else was told of its presence since.
    private var updates: [ClientID: Int] = [:]

    init(_ turn: RoomTurn, seqBefore: UInt64, formats: WireFormats, showsAuthData: Bool) {
        self.turn = turn
        self.seqBefore = seqBefore
        self.formats = formats
        self.showsAuthData = showsAuthData
    }

    /// Those whose messages the store has to commit.
    private enum Authors: Equatable {
        case none
        case one(Author)
        case several
    }

    /// It has a message of this author's that the store has to commit.
    mutating func stores(_ author: Author?) {
        switch (self.authors, author) {
        case (.none, let author?): self.authors = .one(author)
        case (.one(let first), let author?) where first == author: return
        default: self.authors = .several
        }
    }

    /// The one that has caused the work of the store.
    package func payer(in room: RoomKey) -> LogBatch.Payer {
        if case .one(let author) = self.authors { .author(author, room.channel) } else { .room(room) }
    }

    func shown(_ sender: Sender) -> Sender { self.showsAuthData ? sender : sender.withoutAuthData }

    /// The author's user, where the message does not say it: only who may moderate has no `author`.
    func unsaidUser(of publish: PublishCommand) -> String? {
        guard !self.showsAuthData || publish.sender.jsonWithoutAuthData == nil else { return nil }
        return switch publish.author {
        case .user(let user): user
        case .network, .client, .local: nil
        case nil: publish.sender.jsonWithoutAuthData == nil ? nil : UserIdentity.of(publish.sender)
        }
    }

    mutating func stamp(_ sender: Sender) -> Stamp { Stamp(id: self.turn.ids.next(), sender: self.shown(sender)) }

    /// Stamps an entry that is none of the log, and gives it its place.
    mutating func append(_ content: RoomEntry.Content, by sender: Sender, for audience: Audience = .all) {
        self.entries.append(RoomEntry(content: content, stamp: self.stamp(sender), audience: audience))
    }

    /// Tells of a member's newer data in the place of what the batch tells already.
    ///
    /// - Returns: whether the batch has such an entry.
    mutating func replaceUpdate(of member: Sender) -> Bool {
        guard let id = member.clientID, let index = self.updates[id] else { return false }
        self.entries[index].content = .presence(.update, member)
        self.entries[index].stamp = Stamp(id: self.entries[index].stamp.id, sender: self.shown(member))
        return true
    }

    /// The newest entry is about this member's presence.
    mutating func presenceTold(_ event: PresenceChange, of member: Sender) {
        guard let id = member.clientID else { return }
        if event == .update {
            self.updates[id] = self.entries.count - 1
        } else if !self.updates.isEmpty {
            self.updates[id] = nil
        }
    }

    /// Answers behind the entries so far.
    mutating func answer(_ answer: RoomAnswer) {
        var answer = answer
        answer.place = self.entries.count
        self.answers.append(answer)
        if case .members(_, let list) = answer.content { self.listed(list) }
    }

    /// A list of members was made, or is sent once more.
    mutating func listed(_ list: MemberSnapshot) { self.listedBytes += list.list.readableBytes }

    /// The bytes of the lists of members since this was asked for last.
    mutating func takeListedBytes() -> Int {
        defer { self.countedBytes = self.listedBytes }
        return self.listedBytes - self.countedBytes
    }

    /// The rest of the batch when the commit has failed: entries that the store has nothing to do with, and the answers
    /// without what was not stored.
    package func withoutStored(in room: RoomName, _ failure: EngineError = .unavailable) -> RoomBatch {
        var rest = self
        rest.needsCommit = false
        rest.tombstones = []
        rest.entries = self.entries.filter { $0.seq == 0 }
        var places = [0]
        for entry in self.entries { places.append(places[places.count - 1] + (entry.seq == 0 ? 1 : 0)) }
        rest.answers = self.answers.map { answer in
            var answer = answer.withoutStored(after: self.seqBefore, in: room, failure)
            answer.place = places[answer.place]
            return answer
        }
        return rest
    }
}

/// Something that happens in a room, at its place in the room's order: what subscribers are told.
package struct RoomEntry: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// One JSON value.
        case message(ByteBuffer)
        case presence(PresenceChange, Sender)
        /// A plain-text member has this name from now on.
        case named(String)
        case notice(Notice)
        /// The room shows its members from now on.
        case members(MemberSnapshot)
        /// The tombstone that is in the place of a message from now on. Indirect: it is rare, and messages need not be as large.
        indirect case redaction(Tombstone, reason: String?)
    }

    package var content: Content
    package var stamp: Stamp
    /// 0 for what is not an entry of the log: presence, ephemeral messages, notices.
    package var seq: UInt64 = 0
    package var key: PublishKey?
    /// As `LogEntry.user`.
    package var user: String?
    package var audience = Audience.all

    /// The kind that the log has.
    package var kind: EntryKind {
        if case .redaction = self.content { .redaction } else { .message }
    }

    /// The entry as the log has it.
    package func logEntry(_ tail: ByteBuffer) -> LogEntry {
        LogEntry(self.kind, seq: self.seq, id: self.stamp.id, key: self.key, user: self.user, tail: tail)
    }
}

package enum PresenceChange: String, Equatable, Sendable {
    case join = "observable_member_join"
    case leave = "observable_member_leave"
    case update = "observable_member_update"
}
