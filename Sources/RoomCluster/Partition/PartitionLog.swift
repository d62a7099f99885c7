package import NIOCore
package import RoomCore

/// The port to the replicated log of one partition: every node appends to it, and every node follows it.
///
/// Duties of a log:
/// - An append is stored once, several times or never, and appends of one node may change places; nobody is told which. The
///   sender sees its record in the log, or sends it again: what counts is decided by the number of the record.
/// - What is told to one follower is stored by a quorum, and is told to each follower at the same place.
/// - No call blocks. All may be called on any thread.
package protocol PartitionLog: Sendable {
    /// Appends the bytes of one record. The outcome is not told.
    func append(_ record: ByteBuffer)

    /// Begins to tell what is in the log, from `first` on. Called once in the life of a log.
    ///
    /// - Parameters:
    ///   - end: the follower knows that the log has had everything through this record.
    ///   - tell: it is called one call after the other, never at the same time, on a thread of the log's; it must not
    ///   block. Between two calls that tell records no place is left out, whatever happens to the connection.
    func follow(
        from first: LogOffset,
        reaching end: KnownRecord?,
        _ tell: @escaping @Sendable (PartitionLogEvent) -> Void
    )

    /// Has the log look whether it stands still here, and do what it can about it: appends of this follower's do not come.
    func doubt()

    /// Ends following, and drops what has not been sent. Nothing is told after a call of `tell` that is under way.
    func close()
}

extension PartitionLog {
    /// The same for who knows of nothing in the log.
    package func follow(from first: LogOffset, _ tell: @escaping @Sendable (PartitionLogEvent) -> Void) {
        self.follow(from: first, reaching: nil, tell)
    }
}

/// What a follower of a partition is told.
package enum PartitionLogEvent: Equatable, Sendable {
    /// The next record, as the log has it.
    ///
    /// - time: when the log took it, in Unix milliseconds, by the log's own clock: the same for all followers. It may go back.
    /// - bytes: `nil` where the record was erased.
    case record(LogOffset, time: Int64, bytes: ByteBuffer?)
    /// The log has nothing between the last record that was told and `first` any more: whoever follows needs a snapshot.
    /// No more records are told.
    case lost(first: LogOffset)
    /// The log ends with `last` now, before the last record that is known: it has lost what it had, or was put back to an older state. No
    /// more records are told, and appends are not stored.
    case behind(last: LogOffset)
    /// The log has another record in this place than the one that is known: it has lost its end and went on without it. No more records are
    /// told, and appends are not stored.
    case differs(LogOffset)
    /// Appends reach the log from now on, and records are told as they come.
    case connected
    /// The log cannot be reached at the moment. Following goes on by itself, behind the last record that was told.
    case disconnected
}
