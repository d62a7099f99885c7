import RoomCore
import RoomModel

/// What others change of rooms that a shard owns: their logs, settings and rules.
extension RoomOwner {
    // MARK: Logs

    /// A read has shown something of a room's log.
    func logReported(_ report: LogReport, of key: RoomKey, _ log: LogID) {
        guard let owned = self.rooms[key] else { return }
        switch owned.order {
        case .loop(let ordered):
            if ordered.room.log == log { ordered.storeReported(.found(report)) }
        case .log(let logged):
            guard case .trimmed(let oldest, let hasExpired) = report, let epoch = log.new?.epoch else { return }
            logged.trimmed(to: Position(epoch: epoch, seq: oldest), hasExpired: hasExpired)
        }
    }

    /// The log of a room has been changed by others: it is opened again with the next command.
    func logReplaced(_ key: RoomKey) {
        self.rooms[key]?.ordered?.storeReported(.found(.lost))
    }

    /// The oldest messages of a room's log were deleted.
    func pruned(_ key: RoomKey, through place: Position) {
        guard let owned = self.rooms[key] else { return }
        switch owned.order {
        case .loop(let ordered): ordered.storeReported(.pruned(through: place))
        case .log(let logged): logged.pruned(through: place)
        }
    }

    // MARK: Settings and rules

    /// A room uses the channel's new settings from now on.
    func channelChanged(_ channel: RoomChannel, for owned: OwnedRoom) {
        owned.channel = channel
        switch owned.order {
        case .loop(let ordered): self.ordered.channelChanged(for: ordered)
        case .log(let logged): self.partitions?.channelChanged(channel, for: logged, owned.key)
        }
    }

    /// A room has these rules from now on.
    func rulesChanged(_ rules: RoomRules, of key: RoomKey) {
        if self.partitions != nil {
            self.take(.rules(rules), for: key)
        } else if let ordered = self.rooms[key]?.ordered {
            _ = ordered.enqueue(.rules(rules))
            self.ordered.enqueue(ordered)
        }
    }

    /// Forgets a room of a channel that is gone.
    func forget(_ owned: OwnedRoom) {
        if case .log(let logged) = owned.order { self.partitions?.channelRemoved(logged, owned.key) }
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
