/// A channel as the admin API shows it: `Channel` in `Schemas/admin.openapi.yaml`.
struct AdminChannel: AdminDocument, Decodable, Equatable, Sendable {
    struct History: Decodable, Equatable, Sendable {
        let count: Int
        let ageSeconds: Double
    }

    struct Rule: Decodable, Equatable, Sendable {
        let pattern: String
        let history: History?
    }

    struct PreviousSecret: Decodable, Equatable, Sendable {
        let expiresAt: String
    }

    let id: String
    let name: String
    let authentication: String
    let tokenExpiry: String
    let history: History?
    let historyRules: [Rule]
    let historyOrder: String
    let durability: String
    let presence: String
    let membersListed: Int?
    let authDataStamps: String
    let allowedOrigins: [String]
    let limits: Limits
    let graceSeconds: Double
    let version: Int64
    let locked: [String]
    let previousSecrets: [PreviousSecret]
    /// Only in the answer to its making.
    let secret: String?

    struct Limits: Decodable, Equatable, Sendable {
        let connections: Int?
        let rooms: Int?
        let newRoomRate: Int?
        let memberNewRoomRate: Int?
        let membersPerRoom: Int?
        let messageBytes: Int?
        let publishRate: Int?
        let memberPublishRate: Int?

        /// The limits that are set, as `--limit` takes them.
        var texts: [String] {
            [
                ("connections", self.connections), ("rooms", self.rooms), ("new_room_rate", self.newRoomRate),
                ("member_new_room_rate", self.memberNewRoomRate), ("members_per_room", self.membersPerRoom),
                ("message_bytes", self.messageBytes), ("publish_rate", self.publishRate),
                ("member_publish_rate", self.memberPublishRate),
            ].compactMap { name, value in value.map { "\(name)=\($0)" } }
        }
    }
}

extension AdminChannel.History? {
    /// `1000 messages, 30d`
    var text: String {
        self.map { "\($0.count) messages, \(ShownTime.duration(seconds: $0.ageSeconds))" } ?? "off"
    }
}
