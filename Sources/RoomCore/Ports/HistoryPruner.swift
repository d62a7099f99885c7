package import RoomModel

/// The port to stored messages that an operator does not want to keep any more.
package protocol HistoryPruner: Sendable {
    /// Takes the oldest messages of a room out of its log, in small steps, between which the appends of all rooms go on. The
    /// log keeps its epoch and the numbers of its messages. The removal is synced to the disk in the end.
    ///
    /// - Parameter limit: how many messages go at most; whether there are more is in the receipt.
    /// - Throws: where nothing was removed. What fails later is the receipt's `failure`.
    func prune(
        _ room: RoomKey,
        keeping bound: PruneBound,
        atMost limit: UInt64
    ) async throws(EngineError) -> PruneReceipt

    /// The messages and bytes that `prune` would take out, if all went at once. Nothing is changed.
    func prunable(_ room: RoomKey, keeping bound: PruneBound) async throws(EngineError) -> PruneReceipt
}

/// Which messages of a room are kept: those that neither limit excludes.
package struct PruneBound: Hashable, Sendable {
    /// The number of newest messages to keep.
    package var count: UInt64?
    package var ageMilliseconds: Int64?

    package init(count: UInt64? = nil, ageMilliseconds: Int64? = nil) {
        self.count = count
        self.ageMilliseconds = ageMilliseconds
    }
}

/// The messages and bytes that were pruned, or would be.
package struct PruneReceipt: Equatable, Sendable {
    package var messages: UInt64 = 0
    /// The bytes of the rows that nobody reads any more: the rest of a row that has other messages, too, is not
    /// counted.
    package var bytes: UInt64 = 0
    /// `bytes` follows from some of the messages.
    package var isEstimate = false
    /// Whether there are more that the bound excludes.
    package var hasMore = false
    /// The newest message that is gone; `nil` where none is.
    package var place: Position?
    /// Why the removal ended early, or is not known to be synced.
    package var failure: EngineError?

    package init() {}
}
