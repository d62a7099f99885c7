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

    /// The ``ScaledroneMember/id`` of the sender; `nil` if the message came by REST or from an administrator.
    public let memberID: String?

    /// The time at which the broker accepted the message, by the broker's clock.
    public let time: Date?

    /// The sender, with the data that it had then. Set also if the sender has left the room, and in rooms that are not observable.
    /// `nil` if the message came by REST or from an administrator.
    public let member: ScaledroneMember?

    /// The id that the broker gave the message: a UUID in lower case.
    public let messageID: String?
}
