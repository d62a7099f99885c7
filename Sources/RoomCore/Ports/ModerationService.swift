package import RoomModel

/// The port through which moderators act: an act is checked, stored where it lasts, noted in the audit log, and put in
/// effect, one after the other.
package protocol ModerationService: Sendable {
    /// - Parameter completion: called once, on any thread, when the act is in effect. Errors: `unknown_channel`,
    ///   `banned` (the moderator itself, before it was its turn), `member_not_found`, `message_not_found`,
    ///   `sanction_not_found`, `too_many_sanctions`, `history_off`, `storage_unavailable`, `invalid_field`.
    func perform(
        _ act: ModerationAct,
        in room: RoomKey,
        by moderator: Moderator,
        completion: @escaping @Sendable (Result<ModerationReceipt, RequestError>) -> Void
    )
}

/// The person who acts.
package struct Moderator: Equatable, Sendable {
    /// As `AuditEntry.actor`: `uid:0`, `token:NAME`, or `member:` and a user or a `client_id`.
    package var actor: String
    /// As `AuditEntry.origin`.
    package var origin: String
    /// The sender of the frames that tell of it.
    package var sender: Sender
    /// The person that bans are looked up for; `nil`: an administrator, who cannot be banned.
    package var person: SanctionedPerson?

    package init(actor: String, origin: String, sender: Sender, person: SanctionedPerson?) {
        self.actor = actor
        self.origin = origin
        self.sender = sender
        self.person = person
    }
}

/// The answer to an act that is done.
package enum ModerationReceipt: Equatable, Sendable {
    case done
    case redacted(RedactionReceipt)
    case redactedAll(RedactedPart)
    /// The room begins anew, at 0 of this epoch.
    case cleared(Epoch)
    /// So many connections were sent a notice.
    case notified(Int)
    case shown(RoomState)

    /// The rules and sanctions that moderators have set in a room.
    package struct RoomState: Equatable, Sendable {
        package var rules: RoomRules
        /// Bans and mutes of this room alone, the newest first.
        package var sanctions: [Sanction]
        /// The number of them, those included that are too many to be listed.
        package var total: Int
        /// The author of the message that was asked about; `nil` where the broker does not know.
        package var author: SanctionedPerson?

        package init(rules: RoomRules, sanctions: [Sanction], total: Int, author: SanctionedPerson? = nil) {
            self.rules = rules
            self.sanctions = sanctions
            self.total = total
            self.author = author
        }
    }
}

/// The messages of somebody that one act has redacted in a room.
package struct RedactedPart: Equatable, Sendable {
    package var count: Int
    /// The `seq` behind which there may be more; `nil`: the act is complete.
    package var next: UInt64?

    package init(count: Int, next: UInt64? = nil) {
        self.count = count
        self.next = next
    }
}

package struct RedactionReceipt: Equatable, Sendable {
    /// The redaction's own place in the room; `nil` where the message had been redacted before.
    package var seq: UInt64?
    package var targetSeq: UInt64
    package var targetID: UniqueID

    package init(seq: UInt64?, targetSeq: UInt64, targetID: UniqueID) {
        self.seq = seq
        self.targetSeq = targetSeq
        self.targetID = targetID
    }
}
