/// A room in a list.
public struct AdminRoomSummary: AdminDocument, Decodable, Equatable, Sendable {
    /// Its name.
    public let name: String
    /// The number of its members.
    public let members: Int
    /// What moderators have set; `nil` where nothing is set.
    public let rules: AdminRules?
}

/// A room that has members: `Room` in `Schemas/admin.openapi.yaml`.
public struct AdminRoom: AdminDocument, Decodable, Equatable, Sendable {
    /// The part of a log that is in memory.
    public struct Window: Decodable, Equatable, Sendable {
        /// Its size.
        public let bytes: Int
        /// The number of its pieces.
        public let chunks: Int
    }

    /// The id of its channel.
    public let channel: String
    /// Its name.
    public let name: String
    /// The number of its members.
    public let members: Int
    /// How many of them have a connection.
    public let subscribers: Int
    /// The id of its log; it changes when the log begins anew.
    public let epoch: String
    /// The number of the newest message.
    public let seq: UInt64
    /// What it keeps; `nil`: nothing.
    public let history: AdminChannel.History?
    /// Whether it shows its members, to all of them or to those who ask for it.
    public let observable: Bool
    /// The part of its log that is in memory.
    public let window: Window
    /// What moderators have set; `nil` where nothing is set.
    public let rules: AdminRules?
}

/// The rules that moderators have set for a room: `Rules` in `Schemas/admin.openapi.yaml`.
public struct AdminRules: AdminDocument, Decodable, Equatable, Sendable {
    /// Only moderators can publish.
    public let locked: Bool
    /// What the members are told about the lock.
    public let lockReason: String?
    /// The pause of a member between two messages; `nil`: off.
    public let slowModeSeconds: Int?
    /// The most members; `nil`: as the channel says.
    public let memberLimit: Int?
}

/// The stored messages of a room: `StoredRoom` in `Schemas/admin.openapi.yaml`.
public struct AdminStoredRoom: AdminDocument, Decodable, Equatable, Sendable {
    /// The name of the room.
    public let name: String
    /// The number of its members.
    public let members: Int
    /// How many entries are stored; redactions are among them.
    public let messages: UInt64
    /// What they take, without the overhead of the file.
    public let bytes: UInt64
    /// Whether ``bytes`` is an estimate.
    public let bytesAreEstimated: Bool
    /// The time of the oldest message; `nil` where there is none.
    public let oldest: AdminTime?
    /// The time of the newest message; `nil` where there is none.
    public let newest: AdminTime?
    /// The id of its log; it changes when the log begins anew.
    public let epoch: String
}

/// How many a notice has reached: `Notified` in `Schemas/admin.openapi.yaml`.
public struct NotifiedConnections: AdminDocument, Decodable, Equatable, Sendable {
    /// The number of connections.
    public let reached: Int
}
