public import Foundation

/// A message of a room.
public struct ScaledroneMessage: Sendable {
    private let value: FoundationValue

    init(value: FoundationValue, memberID: String?, time: Date?, member: ScaledroneMember?, messageID: String?) {
        self.value = value
        self.memberID = memberID
        self.time = time
        self.member = member
        self.messageID = messageID
    }

    /// The message as `JSONSerialization` reads it: a dictionary, an array, a string, a number or `NSNull`.
    public var data: Any { self.value.any }

    /// The ``ScaledroneMember/id`` of who sent it; `nil` where it came by REST or from an administrator.
    public let memberID: String?

    /// When the broker accepted it.
    public let time: Date?

    /// Who sent it, with the data that the sender had then, whether or not it is still in the room, and in rooms that are not
    /// observable, too. `nil` where it came by REST or from an administrator.
    public let member: ScaledroneMember?

    /// The broker's id of the message.
    public let messageID: String?
}
