import RoomClient

/// A room, from ``Scaledrone/subscribe(roomName:messageHistory:)`` until ``Scaledrone/disconnect()``.
///
/// The ``Scaledrone`` keeps the subscription, so an app may let go of the room and is called all the same.
public final class ScaledroneRoom: Sendable {
    private let subscription: Subscription

    init(_ subscription: Subscription, of scaledrone: Scaledrone) {
        self.subscription = subscription
        self.scaledrone = scaledrone
    }

    /// The client that has subscribed to this room.
    public let scaledrone: Scaledrone

    /// The room's name.
    public var name: String { self.subscription.name }

    /// Who is in the room, oneself included, as far as the delegate has been told. Empty in rooms that are not observable,
    /// and in rooms of more members than the broker lists (1,000).
    public var members: [ScaledroneMember] { self.subscription.members }

    /// Hears the messages; a weak reference. Set it right after subscribing, on the delegates' queue or before
    /// ``Scaledrone/connect()``, then nothing is missed.
    public var delegate: (any ScaledroneRoomDelegate)? {
        get { self.subscription.delegate }
        set { self.subscription.delegate = newValue }
    }

    /// Hears who comes and goes, in rooms whose names begin with `observable-`; a weak reference.
    public var observableDelegate: (any ScaledroneObservableRoomDelegate)? {
        get { self.subscription.observableDelegate }
        set { self.subscription.observableDelegate = newValue }
    }

    /// Publishes into this room; see ``Scaledrone/publish(message:room:)``.
    public func publish(message: Any) {
        self.scaledrone.publish(message: message, room: self.name)
    }
}
