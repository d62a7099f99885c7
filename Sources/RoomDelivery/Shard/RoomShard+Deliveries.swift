package import RoomCore
package import RoomModel

/// The deliveries of the owners of rooms to this shard: chunks for its replicas, and answers for those whom they are
/// for.
extension RoomShard {
    func receive(_ delivery: ShardDelivery) {
        let replica = self.local.receive(delivery)
        for answer in delivery.answers {
            if let connection = answer.connection {
                self.give(answer, to: connection, delivery, replica)
            } else if let replica {
                self.giveAll(answer, of: replica, delivery)
            }
        }
        if delivery.dropsReplica { self.local.remove(delivery.key) }
    }

    private func give(_ answer: RoomAnswer, to ref: ConnectionRef, _ delivery: ShardDelivery, _ replica: Replica?) {
        guard let connection = self.connections[ref.number] else {
            self.owner.requests.take(ref.number)?(answer.content)
            return
        }
        let room = delivery.key.room
        switch answer.content {
        case .acknowledged(let acknowledgement): connection.acknowledged(acknowledgement)
        case .refused(let origin, let error): connection.refused(error, to: origin)
        case .joined(let admission):
            let cursor = delivery.cursor(behind: answer.place, connection.wireFormat)
            if let replica { connection.member?.attached(admission, at: cursor, to: replica) }
        case .joinRefused(let join, let error): connection.member?.joinRefused(join, to: room, error)
        case .detached:
            connection.member?.detached(room, before: delivery.cursor(behind: answer.place, connection.wireFormat))
        case .removed(let removal):
            let end = delivery.cursor(behind: answer.place, connection.wireFormat)
            connection.member?.removed(removal, from: room, before: end)
        case .members(let origin, let list): connection.answerMembers(origin, list)
        case .history(let read): connection.readHistory(read)
        // for those who ask without a connection, and for all subscribers
        case .located, .moderated, .cleared, .logReread: return
        }
    }

    private func giveAll(_ answer: RoomAnswer, of replica: Replica, _ delivery: ShardDelivery) {
        // the log begins with the batch's own chunk
        let head = delivery.cursor(behind: 0, .canonical)
        let event: LogChange.Event
        switch answer.content {
        case .cleared(let cleared): event = .cleared(cleared, head: head)
        case .logReread(true, let seq): event = .restarted(after: seq, head: head)
        case .logReread(false, let seq): event = .goesOn(through: seq)
        default: return
        }
        self.local.happened(event, to: replica, delivery.lane)
    }

    /// A room has let somebody in that was told that nobody knows: it leaves, unless it has asked again.
    package func joinedLate(_ join: JoinCommand, _ room: RoomKey) {
        guard self.connections[join.connection.number]?.member?.session.rooms[room.room] == nil,
            let channel = self.channels[room.channel]
        else { return }
        self.submit(.leave(join.clientID, join.connection), to: room.room, in: channel)
    }

    /// A room has refused a command before it had a place in the room.
    func receive(_ refusal: RoomAnswer, of room: RoomKey) {
        guard let ref = refusal.connection else { return }
        guard let connection = self.connections[ref.number] else {
            self.owner.requests.take(ref.number)?(refusal.content)
            return
        }
        switch refusal.content {
        case .refused(let origin, let error): connection.refused(error, to: origin)
        case .joinRefused(let join, let error): connection.member?.joinRefused(join, to: room.room, error)
        default: return
        }
    }
}
