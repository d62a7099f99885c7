package import NIOCore
import RoomJSON

extension AdminCall where Answer == AdminHistoryPage {
    /// Stored messages of a room, at most 1,000 at once; without a place, the newest ones.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - after: those above this `seq`, from the oldest.
    ///   - before: those below this `seq`, up to the newest.
    ///   - limit: the most messages.
    public static func history(
        of room: String,
        in channel: String,
        after: UInt64? = nil,
        before: UInt64? = nil,
        limit: Int = 100
    ) -> Self {
        let query: [(name: String, value: String)] = .given(
            ("after_seq", after.map { "\($0)" }),
            ("before_seq", before.map { "\($0)" }),
            ("limit", "\(limit)")
        )
        return Self(document: AdminRequest(.get, ["channels", channel, "rooms", room, "history"], query: query))
    }
}

extension AdminCall where Answer == AdminAuthor {
    /// The author of a message, who may have left.
    ///
    /// - Parameters:
    ///   - message: its `seq` or its id.
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    public static func author(of message: String, in room: String, of channel: String) -> Self {
        Self(document: AdminRequest(.get, ["channels", channel, "rooms", room, "messages", message, "author"]))
    }
}

extension AdminCall where Answer == AdminRedaction {
    /// Removes the content of a message, for all members and for everybody who joins later.
    ///
    /// - Parameters:
    ///   - message: its `seq` or its id.
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - reason: what the members see; it is also in the audit log.
    public static func redact(_ message: String, in room: String, of channel: String, reason: String? = nil) -> Self {
        Self(
            document: AdminRequest(
                .delete,
                ["channels", channel, "rooms", room, "messages", message],
                query: .given(("reason", reason))
            )
        )
    }
}

extension AdminCall where Answer == ClearedRoom {
    /// Deletes all stored messages of a room. Its members stay, and are told.
    public static func clear(_ room: String, in channel: String) -> Self {
        Self(document: AdminRequest(.post, ["channels", channel, "rooms", room, "clear"]))
    }
}

extension AdminCall where Answer == PrunedMessages {
    /// One step of ``AdminClient/prune(_:room:keep:olderThan:isDryRun:onStep:)``.
    static func prune(_ channel: String, _ order: AdminPruneOrder, after next: String?) -> Self {
        let query: [(name: String, value: String)] = .given(("after", next))
        return Self(document: AdminRequest(.post, ["channels", channel, "prune"], query: query, body: order))
    }
}

extension AdminCall where Answer == RedactedMessages {
    /// One step of ``AdminClient/redactMessages(of:in:room:reason:isDryRun:after:onStep:)``.
    static func redactMessages(_ channel: String, _ order: AdminRedactionOrder, after next: String?) -> Self {
        let query: [(name: String, value: String)] = .given(("after", next))
        return Self(document: AdminRequest(.post, ["channels", channel, "redactions"], query: query, body: order))
    }
}

extension AdminCall where Answer == ImportedPart {
    /// Imports lines of an export into a room without messages.
    ///
    /// - Parameter last: the answer to the part before; `nil`: this is the first one.
    package static func importPart(
        _ lines: ByteBuffer,
        to room: String,
        in channel: String,
        after last: ImportedPart?
    ) -> Self {
        var request = AdminRequest(
            .post,
            ["channels", channel, "rooms", room, "history"],
            query: .given(("epoch", last?.epoch), ("after_seq", last.map { "\($0.seq)" })),
            body: .verbatim(lines)
        )
        request.contentType = "application/x-ndjson"
        return Self(document: request)
    }

    /// Imports lines of an export, as `roomline history export` writes them, into a room without messages.
    ///
    /// - Parameters:
    ///   - lines: 256 KiB at most.
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - last: the answer to the part before; `nil`: this is the first one.
    public static func importPart(
        _ lines: [UInt8],
        to room: String,
        in channel: String,
        after last: ImportedPart? = nil
    ) -> Self {
        .importPart(ByteBuffer(bytes: lines), to: room, in: channel, after: last)
    }
}

extension AdminCall where Answer == AdminTrace {
    /// Where a message is, and which members have not been sent it yet.
    ///
    /// - Parameters:
    ///   - message: its id.
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    public static func trace(_ message: String, in room: String, of channel: String) -> Self {
        Self(document: AdminRequest(.get, ["trace", message], query: [("channel", channel), ("room", room)]))
    }
}

extension AdminClient {
    /// Deletes the oldest stored messages of a room, or of all rooms of a channel, one request after the other until there are
    /// no more such messages.
    ///
    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - room: `nil`: all rooms of the channel.
    ///   - keep: a message is deleted if its room has more than so many newer ones.
    ///   - olderThan: a message is deleted if it is older.
    ///   - isDryRun: only count.
    ///   - onStep: is told what each request has deleted, or would.
    /// - Returns: what all of them have deleted, or would.
    /// - Throws: ``AdminError``; what was deleted until then stays deleted.
    public func prune(
        _ channel: String,
        room: String? = nil,
        keep: UInt64? = nil,
        olderThan: Duration? = nil,
        isDryRun: Bool = false,
        onStep: (PrunedMessages) -> Void = { _ in }
    ) async throws(AdminError) -> PrunedMessages {
        let order = AdminPruneOrder(
            room: room,
            keep: keep.map { Int(clamping: $0) },
            olderThan: olderThan,
            isDryRun: isDryRun
        )
        var (all, next) = (PrunedMessages(), String?.none)
        repeat {
            let step = try await self.send(.prune(channel, order, after: next))
            all.add(step)
            onStep(step)
            next = step.next
        } while next != nil
        return all
    }

    /// Redacts all stored messages of somebody in a room, or in all rooms of a channel, one request after the other.
    ///
    /// A user's messages are those of all its sessions.
    ///
    /// - Parameters:
    ///   - subject: a user or a client.
    ///   - channel: the id of the channel.
    ///   - room: `nil`: all rooms of the channel.
    ///   - reason: what the members see; it is also in the audit log.
    ///   - isDryRun: only count.
    ///   - first: what a ban has redacted; `nil`: begin.
    ///   - onStep: is told what each request has redacted, or would.
    /// - Returns: what all of them have redacted, `first` included.
    /// - Throws: ``AdminError``; what was redacted until then stays redacted.
    public func redactMessages(
        of subject: AdminSubject,
        in channel: String,
        room: String? = nil,
        reason: String? = nil,
        isDryRun: Bool = false,
        after first: RedactedMessages? = nil,
        onStep: (RedactedMessages) -> Void = { _ in }
    ) async throws(AdminError) -> RedactedMessages {
        let order = AdminRedactionOrder(of: subject.named, room: room, reason: reason, isDryRun: isDryRun)
        var all = first ?? RedactedMessages()
        var hasMore = first == nil || all.next != nil
        while hasMore {
            let step = try await self.send(.redactMessages(channel, order, after: all.next))
            all = RedactedMessages(messages: all.messages + step.messages, next: step.next)
            hasMore = step.next != nil
            onStep(step)
        }
        return all
    }

    /// All stored messages of a room above a place, from the oldest, page by page.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - seq: the place; 0 for all.
    public func history(of room: String, in channel: String, after seq: UInt64 = 0) -> AdminHistorySequence {
        AdminHistorySequence(client: self, room: room, channel: channel, seq: seq)
    }
}
