import NIOCore
import RoomCore
import RoomModel

/// What is asked of the members that are connected to one event loop.
extension LocalRooms {
    /// The members of a room that are connected here, by their ids.
    func connected(to key: RoomKey, newest seq: UInt64) -> [ClientID: ConnectedMember] {
        guard let replica = self.replicas[key] else { return [:] }
        var result: [ClientID: ConnectedMember] = [:]
        for subscriber in replica.subscribers {
            let (connection, identity) = (subscriber.connection, subscriber.member.session.identity)
            result[identity.clientID] = ConnectedMember(
                clientData: identity.clientData,
                authData: identity.authData,
                user: identity.user,
                lastSeq: subscriber.lastSeq,
                connection: MemberDetail.Connected(
                    address: connection.address?.description,
                    wireFormat: connection.wireFormat.label,
                    since: connection.connectedAt,
                    lag: Int(clamping: seq - min(seq, subscriber.lastSeq)),
                    queuedBytes: connection.writer.waitingReplies
                )
            )
        }
        return result
    }
}

/// A member's connection as its own loop knows it.
struct ConnectedMember: Sendable {
    var clientData: ByteBuffer?
    var authData: ByteBuffer?
    var user: String?
    /// The newest message of the room that it was sent.
    var lastSeq: UInt64
    var connection: MemberDetail.Connected
}
