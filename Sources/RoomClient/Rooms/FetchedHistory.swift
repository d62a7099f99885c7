import RoomWire

/// What a history query has brought, before it has the room's type.
struct FetchedHistory: Sendable {
    let messages: [IncomingMessage]
    /// The entries that it covers, messages or not.
    let seqs: ClosedRange<UInt64>?
    let hasMore: Bool
}

extension HistoryReply {
    /// Those of its entries; `nil` where it has none.
    var seqs: ClosedRange<UInt64>? {
        let seqs = self.entries.compactMap { entry in
            switch entry {
            case .message(let message): message.seq
            case .redaction(let event): event.seq
            }
        }
        guard let first = seqs.min(), let last = seqs.max() else { return nil }
        return first...last
    }
}
