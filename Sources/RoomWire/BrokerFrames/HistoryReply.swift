/// A page of a room's history, in ascending order.
package struct HistoryReply: Equatable, Sendable {
    package let entries: [StoredEntry]
    /// Whether the asked range goes on.
    package let more: Bool

    package init(entries: [StoredEntry], more: Bool) {
        self.entries = entries
        self.more = more
    }
}
