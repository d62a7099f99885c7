import RoomClient

/// A member of a room, or the sender of a message.
public final class ScaledroneMember: Sendable, CustomStringConvertible {
    let member: Member

    init(_ member: Member) {
        self.member = member
    }

    /// The id that the broker gave this member; ``Scaledrone/clientID`` is the id of this client.
    public var id: String { self.member.id }

    /// The `data` of the member's access token, which the member cannot change. Each access reads it with `JSONSerialization`. `nil`
    /// if there is none.
    public var authData: Any? { self.member.authData?.foundationValue }

    /// The member data. Each access reads it with `JSONSerialization`. `nil` if there is none.
    public var clientData: Any? { self.member.clientData?.foundationValue }

    /// The id and both kinds of data.
    public var description: String {
        let (auth, client) = (self.member.authData, self.member.clientData)
        return "Member: \(self.id) authData: \(auth?.description ?? "nil") clientData: \(client?.description ?? "nil")"
    }
}
