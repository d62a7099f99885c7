import RoomClient

/// What the broker does and has done, as the admin API shows it: `Statistics` in `Schemas/admin.openapi.yaml`.
struct AdminStatistics: AdminDocument, Decodable, Equatable, Sendable {
    struct Channel: Decodable, Equatable, Sendable {
        let id: String
        let connections: Int
        let rooms: Int
    }

    /// A member that reads more slowly than its room talks.
    struct SlowMember: Decodable, Equatable, Sendable {
        let channel: String
        let room: String
        let id: String
        let clientData: JSON?
        let lag: Int

        var person: Person { Person(id: self.id, clientData: self.clientData) }
    }

    let time: String
    let connections: Int
    let rooms: Int
    /// A client counts in each room that it is in.
    let members: Int
    /// How many read more slowly than their rooms talk.
    let slow: Int
    /// Some of those, the furthest behind first.
    let slowest: [SlowMember]
    /// Since the start.
    let publishes: Int
    let deliveries: Int
    let channels: [Channel]
}
