/// A room in a list of the admin API.
struct AdminRoomSummary: AdminDocument, Decodable, Equatable, Sendable {
    let name: String
    let members: Int
    /// `nil` where nothing is set.
    let rules: AdminRules?
}

/// A room as the admin API shows it: `Room` in `Schemas/admin.openapi.yaml`.
struct AdminRoom: AdminDocument, Decodable, Equatable, Sendable {
    struct Window: Decodable, Equatable, Sendable {
        let bytes: Int
        let chunks: Int
    }

    let channel: String
    let name: String
    let members: Int
    let subscribers: Int
    let epoch: String
    let seq: UInt64
    let history: AdminChannel.History?
    let observable: Bool
    let window: Window
    let rules: AdminRules?
}
