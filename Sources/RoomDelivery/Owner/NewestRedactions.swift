import DequeModule
import RoomCore
import RoomModel

/// The newest redactions of a room, for those who read a page of its log at the same time.
struct NewestRedactions {
    private var epoch: Epoch?
    /// In the order of their own `seq`.
    private var receipts: Deque<(seq: UInt64, target: UInt64)> = []
    /// Redactions up to this `seq` are forgotten.
    private var forgottenThrough: UInt64 = 0

    private static let capacity = 256

    mutating func add(_ receipt: RedactionReceipt, in epoch: Epoch) {
        guard let seq = receipt.seq else { return }
        if self.epoch != epoch { self = NewestRedactions(epoch: epoch) }
        self.receipts.append((seq, receipt.targetSeq))
        guard self.receipts.count > Self.capacity, let oldest = self.receipts.popFirst() else { return }
        self.forgottenThrough = oldest.seq
    }

    init(epoch: Epoch? = nil) {
        self.epoch = epoch
    }

    /// Whether one of the messages may have been redacted since.
    ///
    /// - Parameters:
    ///   - seq: the newest of the log when the messages were asked for.
    ///   - epoch: the log's.
    func meet(_ entries: [LogEntry], after seq: UInt64, in epoch: Epoch) -> Bool {
        guard self.epoch == epoch, let newest = self.receipts.last, newest.seq > seq else { return false }
        if self.forgottenThrough > seq { return true }
        let targets = Set(self.receipts.lazy.filter { $0.seq > seq }.map(\.target))
        return entries.contains { $0.kind == .message && targets.contains($0.seq) }
    }
}
