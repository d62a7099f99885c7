/// Gets the members of a ``ScaledroneRoom`` whose name begins with `observable-`.
public protocol ScaledroneObservableRoomDelegate: AnyObject {
    /// The members of the room, this client included. Called once for each ``Scaledrone/subscribe(roomName:messageHistory:)``.
    func scaledroneObservableRoomDidConnect(room: ScaledroneRoom, members: [ScaledroneMember])

    /// A member has joined, perhaps while the connection was lost.
    func scaledroneObservableRoomMemberDidJoin(room: ScaledroneRoom, member: ScaledroneMember)

    /// A member has left, perhaps while the connection was lost.
    func scaledroneObservableRoomMemberDidLeave(room: ScaledroneRoom, member: ScaledroneMember)
}
