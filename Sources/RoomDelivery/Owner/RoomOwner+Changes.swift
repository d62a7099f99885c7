import RoomCore
import RoomModel

/// What others change of rooms that a shard owns: their logs, settings and rules.
extension RoomOwner {
    // MARK: Logs

    /// A read has shown something of a room's log.
    func logReported(_ report: LogReport, of key: RoomKey, _ log: LogID) {
        guard let ordered = self.rooms[key]?.ordered, ordered.room.log == log else { return }
        ordered.storeReported(.found(report))
    }

    /// The log of a room has been changed by others: it is opened again with the next command.
    func logReplaced(_ key: RoomKey) {
        self.rooms[key]?.ordered?.storeReported(.found(.lost))
    }

    /// The oldest messages of a room's log were deleted.
    func pruned(_ key: RoomKey, through place: Position) {
        self.rooms[key]?.ordered?.storeReported(.pruned(through: place))
    }

    // MARK: Settings and rules

    /// A room uses the channel's new settings from now on.
    func channelChanged(_ channel: RoomChannel, for owned: OwnedRoom) {
        owned.channel = channel
        if let ordered = owned.ordered { self.ordered.channelChanged(for: ordered) }
    }

    /// A room has these rules from now on.
    func rulesChanged(_ rules: RoomRules, of key: RoomKey) {
        guard let ordered = self.rooms[key]?.ordered else { return }
        _ = ordered.enqueue(.rules(rules))
        self.ordered.enqueue(ordered)
    }

    /// Forgets a room of a channel that is gone.
    func forget(_ owned: OwnedRoom) {
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
