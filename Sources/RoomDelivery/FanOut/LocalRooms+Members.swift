import NIOCore
import RoomCore
import RoomDocuments
import RoomModel

/// Questions about the members that are connected to one event loop.
extension RoomShard {
    /// Those of these clients that are in the room by a connection to this loop.
    func connected(
        _ clients: some Sequence<ClientID>,
        to key: RoomKey,
        newest seq: UInt64
    ) -> [ClientID: AdminMember] {
        var result: [ClientID: AdminMember] = [:]
        for client in clients {
            guard let connection = self.connections.connection(of: client, in: key.channel),
                let member = connection.member, let subscriber = member.subscriptions[key.room]
            else { continue }
            let identity = member.session.identity
            var document = AdminMember(client)
            (document.clientDataBytes, document.authDataBytes) = (identity.clientData, identity.authData)
            document.user = identity.user
            var link = AdminMember.Connection(placeholder: ())
            (link.address, link.wireFormat) = (connection.address?.description, connection.wireFormat.label)
            link.connectedAt = AdminTime(milliseconds: connection.connectedAt)
            (link.lag, link.queuedBytes) = (subscriber.lag(behind: seq), connection.writer.waitingReplies)
            document.connection = link
            result[client] = document
        }
        return result
    }
}

extension LocalRooms {
    /// How far the room's subscribers of this loop have come: how many have been sent this message, and who has not.
    func progress(
        of key: RoomKey,
        at message: UInt64,
        newest seq: UInt64
    ) -> (passed: Int, lagging: [AdminTrace.Laggard]) {
        guard let replica = self.replicas[key] else { return (0, []) }
        let lagging = replica.subscribers.filter { $0.lastSeq < message }.map { subscriber in
            AdminTrace.Laggard(id: subscriber.member.session.identity.clientID.text, lag: subscriber.lag(behind: seq))
        }
        return (replica.subscribers.count - lagging.count, lagging)
    }
}

extension Subscriber {
    fileprivate func lag(behind seq: UInt64) -> Int { Int(clamping: seq - min(seq, self.lastSeq)) }
}
