import NIOCore
import RoomCore

/// A node's way to the other nodes of its cluster.
protocol ClusterLink: Sendable {
    /// What the streams are, with the cluster's origin.
    var settings: StreamSettings { get }

    /// Notes for ever that a node begins.
    ///
    /// - Returns: its number: no other life of any node has it.
    func begin(_ note: ByteBuffer) async throws(ClusterFailure) -> NodeNumber

    /// The log of a partition; what is followed comes on the event loop.
    func log(of partition: Int, on loop: any EventLoop) -> any PartitionLog

    /// The log of a partition once more, to look through what it has had; what is followed comes on the event loop.
    func past(of partition: Int, on loop: any EventLoop) -> any PartitionLog

    /// The first place of a partition that the log took at a time (Unix milliseconds) or later; `nil`: there is none.
    func firstPlace(of partition: Int, since milliseconds: Int64) async throws(ClusterFailure) -> LogOffset?

    /// Has all who follow the log from now on read another record in a place, and erases the one that is there from the servers' files.
    ///
    /// - Parameters:
    ///   - time: when the log took the record, in Unix milliseconds.
    ///   - old: the bytes that are there. Where there are others by now, it fails and nothing is done.
    func replace(
        _ place: LogOffset,
        of partition: Int,
        takenAt time: Int64,
        _ old: ByteBuffer,
        by new: ByteBuffer
    ) async throws(ClusterFailure)

    /// The log of changes of the control file; it has the notes of `begin`, too.
    func controlLog(on loop: any EventLoop) -> any PartitionLog

    /// Tells all nodes, this one too; it may be lost.
    func beat(_ heartbeat: NodeHeartbeat)

    /// Tells of each heartbeat, on any thread. Called once.
    func listen(_ heard: @escaping @Sendable (NodeHeartbeat) -> Void)

    /// Asks one other node. The answer comes once, on any thread: `nil` where none comes within a second, or nobody has the number.
    func ask(_ node: NodeNumber, _ question: ByteBuffer, _ answered: @escaping @Sendable (ByteBuffer?) -> Void)

    /// Has what other nodes ask this one answered, on any thread. Called once.
    func serve(
        as node: NodeNumber,
        _ answer: @escaping @Sendable (ByteBuffer, _ give: @escaping @Sendable (ByteBuffer) -> Void) -> Void
    )

    /// What the servers say of the streams.
    func streamReport() async -> [ClusterReport.Stream]

    /// Stops following and listening, and ends the connection.
    func close()
}
