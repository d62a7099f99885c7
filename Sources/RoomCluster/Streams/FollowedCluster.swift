/// What a node's files say of the cluster that they follow.
package enum FollowedCluster: Equatable, Sendable {
    case none
    /// A cluster is to begin with them.
    case begins(id: String)
    /// They have everything through this place of its control stream.
    case follows(id: String, place: UInt64)

    var id: String? {
        switch self {
        case .none: nil
        case .begins(let id), .follows(let id, _): id
        }
    }
}
