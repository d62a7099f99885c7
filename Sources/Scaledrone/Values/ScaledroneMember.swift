import RoomClient

/// Somebody who is in a room, or who sent a message.
public final class ScaledroneMember: Sendable, CustomStringConvertible {
    let member: Member

    init(_ member: Member) {
        self.member = member
    }

    /// The id that the broker gave this member when it connected, as ``Scaledrone/clientID`` is one's own.
    public var id: String { self.member.id }

    /// What the member's access token says of it, as `JSONSerialization` reads it, anew each time; the member itself cannot
    /// change it. `nil` where there is none.
    public var authData: Any? { self.member.authData?.foundationValue }

    /// What the member says of itself, as `JSONSerialization` reads it, anew each time. `nil` where it says nothing.
    public var clientData: Any? { self.member.clientData?.foundationValue }

    /// The id and both kinds of data, for logs.
    public var description: String {
        let (auth, client) = (self.member.authData, self.member.clientData)
        return "Member: \(self.id) authData: \(auth?.description ?? "nil") clientData: \(client?.description ?? "nil")"
    }
}
