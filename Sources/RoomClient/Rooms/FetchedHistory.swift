import RoomModel
import RoomWire

/// The answer to a history query, before its messages have the room's type.
struct FetchedHistory: Sendable {
    let messages: [IncomingMessage]
    /// The first and the last of its entries, messages or not; `nil` if there are none.
    let seqs: ClosedRange<UInt64>?
    let gap: RoomGap?
    let hasMore: Bool
}

extension FetchedHistory {
    /// Copies the messages out of the read buffer.
    ///
    /// - Parameter epoch: the present one of the room's log, if the client knows it.
    init(_ reply: HistoryReply, epoch: Epoch?) {
        var senders = SenderCache()
        self.messages = reply.entries.compactMap { entry in
            guard case .message(let message) = entry else { return nil }
            return IncomingMessage(message, epoch: epoch, isHistory: true, senders: &senders)
        }
        self.seqs = Self.range(of: reply.entries)
        self.gap = reply.gap.map { gap in
            RoomGap(epoch: epoch?.description ?? "", seqs: gap.seqs, reason: RoomGap.Reason(rawValue: gap.reason))
        }
        self.hasMore = reply.more
    }

    private static func range(of entries: [StoredEntry]) -> ClosedRange<UInt64>? {
        let seqs = entries.compactMap(\.seq)
        guard let first = seqs.min(), let last = seqs.max() else { return nil }
        return first...last
    }
}
