import RoomCore
import RoomDelivery

extension PartitionFailure {
    /// For an operator: what is wrong, and what to do.
    var text: String {
        switch self {
        case .history(let error): error.description
        case .noBeginning: "history.sqlite has lost what the cluster began with: give this node another node's backup"
        case .snapshot(let error):
            """
            the snapshot in history.sqlite cannot be read (\(error)): give this node another node's backup, or an empty data \
            directory
            """
        case .lost(let first):
            """
            the cluster's log begins at record \(first.rawValue) by now, behind what this node has stored: give it another \
            node's backup
            """
        case .behind(let last):
            """
            the cluster's log ends with record \(last.rawValue) now, before what this node has applied: the nats-servers have lost some of \
            it, or were put back to an older state. See the run book in docs/cluster.md (roomline cluster begin --lost-log)
            """
        case .differs(let place):
            """
            the cluster's log has another record \(place.rawValue) than this node has applied: the nats-servers have lost the end of it, or were \
            put back to an older state, and other nodes went on without what this one has. See the run book in docs/cluster.md
            """
        case .unreadable(let place, let error):
            """
            record \(place.rawValue) of the cluster's log cannot be read (\(error)): perhaps a newer version has written it
            """
        case .erased(let place): "record \(place.rawValue) of the cluster's log was erased"
        case .declaredDead:
            "the other nodes have taken this one for dead: start it again, and it comes back as another node"
        }
    }
}
