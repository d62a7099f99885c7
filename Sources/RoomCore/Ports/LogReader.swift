package import RoomModel

/// The part of `RoomEngine` that serves stored messages. No call blocks, and completions must not block either; those of the same kind
/// for one room are called in the order of the calls.
package protocol LogReader: Sendable {
    /// Reads messages of one log in ascending order of `seq`.
    func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void)

    /// The `seq` of the message with this stamp; `nil` where the log does not serve one.
    func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    )
}
