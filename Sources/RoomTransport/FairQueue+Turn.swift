import RoomDelivery

extension FairQueue {
    /// Has a connection handle what was read from it, if it is its turn.
    @inline(__always)
    func inTurn(_ connection: Connection, _ process: () -> InputFlow.Progress) -> InputFlow.Progress {
        guard self.begin(connection) else { return .outOfTurn }
        let spent = connection.share.spent
        let progress = process()
        self.worked(connection, since: spent)
        if progress == .outOfTurn { self.wait(connection) }
        return progress
    }
}
