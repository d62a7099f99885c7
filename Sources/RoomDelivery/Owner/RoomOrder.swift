import RoomCore

/// What gives the commands of a room their order.
enum RoomOrder {
    /// The event loop that owns the room.
    case loop(OrderedRoom)
    /// The log of the room's partition, which all nodes of the cluster follow.
    case log(LoggedRoom)

    /// The members that have a connection.
    var subscribers: SubscriberCounts {
        switch self {
        case .loop(let ordered): ordered.room.subscribers
        case .log(let logged): logged.view.subscribers
        }
    }

    /// The room as those see it who deliver what comes next.
    var view: RoomView {
        switch self {
        case .loop(let ordered): RoomView(ordered.room)
        case .log(let logged): logged.view
        }
    }

    /// Nothing is under way and nobody is here.
    var isDormant: Bool {
        switch self {
        case .loop(let ordered): ordered.room.isDormant
        case .log(let logged): logged.view.members == 0
        }
    }
}
