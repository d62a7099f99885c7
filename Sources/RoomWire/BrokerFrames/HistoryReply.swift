/// A page of a room's history, in ascending order.
package struct HistoryReply: Equatable, Sendable {
    package let messages: [DeliveredMessage]
    /// Whether the asked range goes on.
    package let more: Bool

    package init(messages: [DeliveredMessage], more: Bool) {
        self.messages = messages
        self.more = more
    }
}
