public import Foundation

/// Gets the messages of a ``ScaledroneRoom``.
///
/// Implement one of the two shapes of each method. If a class has both, the newer one is called.
public protocol ScaledroneRoomDelegate: ScaledroneFormerRoomDelegate {
    /// The subscription has succeeded, or has failed with an `error`, which Scaledrone's client never reports. Called once for each
    /// ``Scaledrone/subscribe(roomName:messageHistory:)``.
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?)

    /// A message: first the requested history, oldest first, then new messages, including those of this client.
    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage)

    /// The shape of versions up to 0.5.1: ``ScaledroneMessage/data`` and ``ScaledroneMessage/member`` of the newer one.
    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?)
}

/// The method of a ``ScaledroneRoomDelegate`` in the shape of version 0.3. Do not conform to it alone.
public protocol ScaledroneFormerRoomDelegate: AnyObject {
    /// The shape of version 0.3; see the newer one.
    @_disfavoredOverload
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?)
}

extension ScaledroneRoomDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) {
        let former: any ScaledroneFormerRoomDelegate = self
        former.scaledroneRoomDidConnect(room: room, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
        self.scaledroneRoomDidReceiveMessage(room: room, message: message.data, member: message.member)
    }

    /// Warns: the delegate has the method in neither shape.
    @_disfavoredOverload
    public func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?) {
        room.scaledrone.lacks("scaledroneRoomDidConnect(room:error:)", self)
    }

    /// Warns: the delegate has the method in neither shape.
    public func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {
        room.scaledrone.lacks("scaledroneRoomDidReceiveMessage(room:message:)", self)
    }
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
