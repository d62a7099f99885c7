/// The state of a partition on a node that follows it.
///
/// Can transition to: any other. `failed` and `closed` are the last ones.
package enum PartitionState: Equatable, Sendable {
    /// Records are applied that were in the log before the node came, or the history is opened.
    case catchingUp
    case ready
    /// The log cannot be reached, or takes nothing.
    case disconnected
    /// The history cannot be written: reads fail, and at last the rooms stand still.
    case failing
    case failed(PartitionFailure)
    case closed

    var isLast: Bool {
        switch self {
        case .failed, .closed: true
        case .catchingUp, .ready, .disconnected, .failing: false
        }
    }
}
