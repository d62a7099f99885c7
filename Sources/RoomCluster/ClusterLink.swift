package import NIOCore
package import RoomCore

/// A node's way to the other nodes of its cluster.
package protocol ClusterLink: Sendable {
    /// Notes for ever that a node begins.
    ///
    /// - Returns: its number: no other life of any node has it.
    func begin(_ note: ByteBuffer) async throws(ClusterFailure) -> NodeNumber

    /// The log of a partition; what is followed comes on the event loop.
    func log(of partition: Int, on loop: any EventLoop) -> any PartitionLog

    /// The log of changes of the control file; it has the notes of `begin`, too.
    func controlLog(on loop: any EventLoop) -> any PartitionLog

    /// Tells all nodes, this one too; it may be lost.
    func beat(_ heartbeat: Heartbeat)

    /// Tells of each heartbeat, on any thread. Called once.
    func listen(_ heard: @escaping @Sendable (Heartbeat) -> Void)

    /// Stops following and listening, and ends the connection.
    func close()
}
