import RoomCore
package import RoomModel

/// What others change of rooms that a shard owns: their logs, settings and rules.
extension RoomOwner {
    // MARK: Logs

    /// A read has shown something of a room's log.
    func logReported(_ report: LogReport, of key: RoomKey, _ log: LogID) {
        guard let owned = self.rooms[key] else { return }
        self.sequencer.logReported(report, of: owned, log)
    }

    /// The log of a room has been changed by others: it is opened again with the next command.
    func logReplaced(of key: RoomKey) {
        guard let log = self.rooms[key]?.order.view.log else { return }
        self.logReported(.lost, of: key, log)
    }

    /// The oldest messages of a room's log were deleted.
    package func pruned(_ key: RoomKey, through place: Position) {
        guard let owned = self.rooms[key] else { return }
        self.sequencer.pruned(owned, through: place)
    }

    // MARK: Settings and rules

    /// A room uses the channel's new settings from now on.
    func channelChanged(_ channel: RoomChannel, for owned: OwnedRoom) {
        owned.channel = channel
        self.sequencer.channelChanged(for: owned)
    }

    /// Forgets a room of a channel that is gone.
    func forget(_ owned: OwnedRoom) {
        self.sequencer.channelRemoved(for: owned)
        self.clearWindow(of: owned)
        self.remove(owned)
    }

    /// Answers what was asked of rooms of a channel that is gone.
    func refuseRequests(of id: ChannelID) {
        self.watches.end(in: id)
        for (number, complete) in self.requests.takeAll(of: id) {
            complete(.refused(self.origin(number), Session.unknownChannel))
        }
    }
}
