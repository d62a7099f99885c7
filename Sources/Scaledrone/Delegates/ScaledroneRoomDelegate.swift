public import Foundation

/// Hears the messages of a ``ScaledroneRoom``.
///
/// Implement one of the two shapes of each method; where a class has both, the newer one is called.
public protocol ScaledroneRoomDelegate: AnyObject {
    /// The room is subscribed to, told once for each ``Scaledrone/subscribe(roomName:messageHistory:)``. Or it is not, and
    /// `error` says why; Scaledrone's own client never tells that.
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?)

    /// A message: first the history that was asked for, oldest first, then what is published, one's own messages included.
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
