/// What the broker does and has done, as the admin API shows it: `Statistics` in `Schemas/admin.openapi.yaml`.
struct AdminStatistics: AdminDocument, Decodable, Equatable, Sendable {
    struct Channel: Decodable, Equatable, Sendable {
        let id: String
        let connections: Int
        let rooms: Int
    }

    let time: String
    let connections: Int
    let rooms: Int
    /// Since the start.
    let publishes: Int
    let deliveries: Int
    let channels: [Channel]
}
