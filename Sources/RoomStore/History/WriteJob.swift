import GRDB
import RoomCore
import RoomModel

/// One change to the history, as it waits for the next transaction. Made on any thread, run on the store's queue.
struct WriteJob: Sendable {
    /// The file it is meant for; `nil`: whichever is open.
    var generation: Int?
    var lane: WriteQueue.Lane
    /// The durability that the commit needs.
    var durability: Durability
    /// The one that has caused it; `nil`: the broker, or an administrator.
    var payer: LogBatch.Payer?
    /// How many messages it appends; 0: it is no append.
    var entries = 0
    /// How much it writes, about, where that can be much.
    var bytes = 0
    /// It stores new messages, for which there may be no room while a prune or a ban has some.
    var storesMessages = false
    /// Runs inside the transaction. The function that it returns is called once the transaction is committed. Where it
    /// throws an `EngineError` it has written nothing, and the other jobs of the transaction are not concerned.
    var work: @Sendable (Database) throws -> @Sendable () -> Void
    /// Called instead where nothing of the job was stored, or nobody knows.
    var failed: @Sendable (EngineError) -> Void

    /// It only waits for the appends that came before it and begin logs.
    var waitsForAppends: Bool { self.lane == .newLog && self.entries == 0 }
}
