public import Foundation

/// Gets the messages of a ``ScaledroneRoom``.
///
/// Implement one of the two shapes of each method. If a class has both, the newer one is called.
public protocol ScaledroneRoomDelegate: AnyObject {
    /// The subscription has succeeded, or has failed with an `error`, which Scaledrone's client never reports. Called once for each
    /// ``Scaledrone/subscribe(roomName:messageHistory:)``.
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?)

    /// A message: first the requested history, oldest first, then new messages, including those of this client.
    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage)

    /// The shape of version 0.3; see the newer one.
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?)

    /// The shape of versions up to 0.5.1: ``ScaledroneMessage/data`` and ``ScaledroneMessage/member`` of the newer one.
    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?)
}

extension ScaledroneRoomDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) {
        self.scaledroneRoomDidConnect(room: room, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
        self.scaledroneRoomDidReceiveMessage(room: room, message: message.data, member: message.member)
    }

    /// Does nothing.
    public func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?) {}

    /// Does nothing.
    public func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {}
}

/// Gets the members of a ``ScaledroneRoom`` whose name begins with `observable-`.
public protocol ScaledroneObservableRoomDelegate: AnyObject {
    /// The members of the room, this client included. Called once for each ``Scaledrone/subscribe(roomName:messageHistory:)``.
    func scaledroneObservableRoomDidConnect(room: ScaledroneRoom, members: [ScaledroneMember])

    /// A member has joined, perhaps while the connection was lost.
    func scaledroneObservableRoomMemberDidJoin(room: ScaledroneRoom, member: ScaledroneMember)

    /// A member has left, perhaps while the connection was lost.
    func scaledroneObservableRoomMemberDidLeave(room: ScaledroneRoom, member: ScaledroneMember)
}
