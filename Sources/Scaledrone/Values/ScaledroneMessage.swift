public import Foundation
import RoomClient

/// A message of a room.
public struct ScaledroneMessage: Sendable {
    let value: FoundationValue

    /// The message as `JSONSerialization` reads it: a dictionary, an array, a string, a number or `NSNull`.
    public var data: Any { self.value.any }

    /// The ``ScaledroneMember/id`` of the sender; `nil` if the message came by REST or from an administrator.
    public let memberID: String?

    /// The time at which the broker accepted the message, by the broker's clock.
    public let time: Date?

    /// The sender, with the data that it had then. Set also if the sender has left the room. `nil` in a room that is not observable, and
    /// if the message came by REST or from an administrator.
    public let member: ScaledroneMember?

    /// The id that the broker gave the message: a UUID in lower case.
    public let messageID: String?
}

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
