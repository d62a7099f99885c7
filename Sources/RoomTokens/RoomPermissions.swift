/// The permissions that a token grants in the rooms that one ``RoomNames`` selects.
///
/// If several selections match a room, their permissions are combined: `false` in one overrides `true` in all others, and the
/// lowest `history` counts. A permission that is `nil` in all of them is not granted.
public struct RoomPermissions: Encodable, Hashable, Sendable {
    /// Whether the member may publish.
    public var publish: Bool?
    /// Whether the member may subscribe, and list the members of rooms that show them.
    public var subscribe: Bool?
    /// The number of newest messages that the member may read.
    public var history: Int?
    /// Whether the member may moderate: remove members and messages, and set the rules of rooms.
    public var moderate: Bool?

    /// - Parameters:
    ///   - publish: whether the member may publish.
    ///   - subscribe: whether the member may subscribe, and list the members of rooms that show them.
    ///   - history: the number of newest messages that the member may read.
    ///   - moderate: whether the member may moderate.
    public init(publish: Bool? = nil, subscribe: Bool? = nil, history: Int? = nil, moderate: Bool? = nil) {
        self.publish = publish
        self.subscribe = subscribe
        self.history = history.map { max(0, $0) }
        self.moderate = moderate
    }
}
