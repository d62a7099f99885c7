import RoomClient

/// The state of a subscription, held by the ``Scaledrone``. The ``ScaledroneRoom`` is the app's handle on it, and is created again
/// if the app does not hold it any more: it holds the `Scaledrone`, which therefore cannot hold the handle.
final class Subscription: Sendable {
    private struct State {
        weak var delegate: (any ScaledroneRoomDelegate)?
        weak var observableDelegate: (any ScaledroneObservableRoomDelegate)?
        weak var room: ScaledroneRoom?
        var list = KnownMembers()
    }

    let name: String
    private let state = Guarded(State())

    init(_ name: String) {
        self.name = name
    }

    var delegate: (any ScaledroneRoomDelegate)? {
        get { self.state.withLock { $0.delegate } }
        set { self.state.withLock { $0.delegate = newValue } }
    }

    var observableDelegate: (any ScaledroneObservableRoomDelegate)? {
        get { self.state.withLock { $0.observableDelegate } }
        set { self.state.withLock { $0.observableDelegate = newValue } }
    }

    var members: [ScaledroneMember] { self.state.withLock { $0.list.members } }

    func room(of scaledrone: Scaledrone) -> ScaledroneRoom {
        self.state.withLock { state in
            if let room = state.room { return room }
            let room = ScaledroneRoom(self, of: scaledrone)
            state.room = room
            return room
        }
    }

    /// The sender of a message; `nil` in a room that does not show its members, as with Scaledrone's client.
    func sender(_ member: Member?) -> ScaledroneMember? {
        self.state.withLock { state in
            guard state.list.isObservable else { return nil }
            return member.map { state.list.known($0) }
        }
    }

    func change(_ change: (inout KnownMembers) -> [KnownMembers.Change]) -> [KnownMembers.Change] {
        self.state.withLock { change(&$0.list) }
    }
}
