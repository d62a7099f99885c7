import RoomClient

/// A room, from ``Scaledrone/subscribe(roomName:messageHistory:)`` until ``Scaledrone/disconnect()``.
///
/// The ``Scaledrone`` keeps the subscription: the delegates are called even if the app holds no reference to the room.
public final class ScaledroneRoom: Sendable {
    private let subscription: Subscription

    init(_ subscription: Subscription, of scaledrone: Scaledrone) {
        self.subscription = subscription
        self.scaledrone = scaledrone
    }

    /// The client that has subscribed to this room.
    public let scaledrone: Scaledrone

    /// The name of the room.
    public var name: String { self.subscription.name }

    /// The members of the room, this client included, as the delegate knows them. Empty in a room that is not observable, and in a
    /// room with more than 1,000 members, which the broker does not list.
    public var members: [ScaledroneMember] { self.subscription.members }

    /// The delegate for the messages; a weak reference. To miss nothing, set it immediately after subscribing, either on the queue
    /// of the delegates or before ``Scaledrone/connect()``.
    public var delegate: (any ScaledroneRoomDelegate)? {
        get { self.subscription.delegate }
        set { self.subscription.delegate = newValue }
    }

    /// The delegate for joins and leaves, in rooms whose names begin with `observable-`; a weak reference.
    public var observableDelegate: (any ScaledroneObservableRoomDelegate)? {
        get { self.subscription.observableDelegate }
        set { self.subscription.observableDelegate = newValue }
    }

    /// Publishes a message to this room; see ``Scaledrone/publish(message:room:)``.
    public func publish(message: Any) {
        self.scaledrone.publish(message: message, room: self.name)
    }
}
