package import RoomModel

/// The answer to a handshake: the identity and the session of the client.
package struct HandshakeReply: Equatable, Sendable {
    package let clientID: String
    /// One later handshake can resume the session with it.
    package let resumeToken: String?
    /// Whether the broker resumed the session that `resume` named; `nil` if the handshake had no `resume`.
    package let resumed: Bool?
    /// The broker accepts only `authenticate` next.
    package let requiresAuthentication: Bool
}

/// The answer to a subscribe: the end of the room's log when the subscription begins.
package struct SubscribeReply: Equatable, Sendable {
    /// `nil` if the broker gave none, or one that this client cannot read.
    package let epoch: Epoch?
    /// The `seq` of the newest message; 0 if there is none.
    package let seq: UInt64
    /// Whether all missed messages follow; `nil` if the subscribe had no `since`.
    package let recovered: Bool?
    /// Whether the broker shows this client who is in the room; `nil` if the subscribe did not ask, or from an older broker.
    package let presence: Bool?

    package init(epoch: Epoch?, seq: UInt64, recovered: Bool?, presence: Bool? = nil) {
        self.epoch = epoch
        self.seq = seq
        self.recovered = recovered
        self.presence = presence
    }
}

/// The answer to a publish: the id and the place of the message.
package struct Receipt: Equatable, Sendable {
    package let id: UniqueID
    /// `nil` for an ephemeral message.
    package let seq: UInt64?
    /// The message had been published before; this is the place that it got then.
    package let isDuplicate: Bool
}

/// A page of a room's history, in ascending order.
package struct HistoryReply: Equatable, Sendable {
    package let entries: [StoredEntry]
    /// The damaged entries before the oldest one of the page, or behind the newest one if the page was not asked for by `after_seq`.
    package let gap: HistoryGap?
    /// Whether the requested range continues after this page.
    package let more: Bool
}

/// The entries that a page of the history names because it cannot have them.
package struct HistoryGap: Equatable, Sendable {
    package let seqs: ClosedRange<UInt64>
    /// A word of the protocol's; newer brokers may have newer ones.
    package let reason: String

    package init(seqs: ClosedRange<UInt64>, reason: String) {
        self.seqs = seqs
        self.reason = reason
    }
}
