/// Hears who is in a ``ScaledroneRoom`` whose name begins with `observable-`.
public protocol ScaledroneObservableRoomDelegate: AnyObject {
    /// Who is in the room, oneself included, told once for each ``Scaledrone/subscribe(roomName:messageHistory:)``.
    func scaledroneObservableRoomDidConnect(room: ScaledroneRoom, members: [ScaledroneMember])

    /// Somebody came. Also told of who came while the connection was lost.
    func scaledroneObservableRoomMemberDidJoin(room: ScaledroneRoom, member: ScaledroneMember)

    /// Somebody went. Also told of who went while the connection was lost.
    func scaledroneObservableRoomMemberDidLeave(room: ScaledroneRoom, member: ScaledroneMember)
}
