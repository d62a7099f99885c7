import RoomTestKit

/// A client and what it has to know to come back.
struct ResumableClient {
    let client: TestConnection
    let id: String
    let token: String

    init(
        _ broker: TestBroker,
        _ rooms: [String] = [],
        shard: Int = 0,
        from address: String = "192.0.2.1",
        user: String? = nil,
        resume: String? = nil,
        channel: String = "test",
        data: String? = nil
    ) {
        self.client = broker.connect(shard: shard, from: address)
        let resume = resume.map { ",\"resume\":\"\($0)\"" } ?? ""
        let token = user.map { ",\"token\":\"\(TestToken.make(channel: channel, data: "{\"id\":\"\($0)\"}"))\"" } ?? ""
        let data = data.map { ",\"client_data\":\($0)" } ?? ""
        let reply = self.client.handshake(channel: channel, ",\"resumable\":true\(resume)\(token)\(data)")
        self.id = reply?.text("client_id") ?? ""
        self.token = reply?.text("resume_token") ?? ""
        for room in rooms { self.client.subscribe(room) }
        _ = self.client.receive()
    }

    /// What came, in short, with the codes.
    func told() -> [String] {
        self.client.receive().map { frame in
            guard let type = frame.type, let code = frame.code else { return frame.summary }
            return "\(type) \(code)"
        }
    }
}
