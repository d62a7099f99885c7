/// The requests of the protocol.
extension TestConnection {
    /// - Parameter fields: more fields, each with a comma before it.
    @discardableResult
    package func handshake(channel: String = "test", data: String? = nil, _ fields: String = "") -> ReceivedFrame? {
        let data = data.map { ",\"client_data\":\($0)" } ?? ""
        return self.request("\"type\":\"handshake\",\"channel\":\"\(channel)\"\(data)\(fields)")
    }

    @discardableResult
    package func authenticate(_ token: String) -> ReceivedFrame? {
        self.request("\"type\":\"authenticate\",\"token\":\"\(token)\"")
    }

    /// A handshake with a token in it.
    @discardableResult
    package func handshake(token: String, data: String? = nil, _ fields: String = "") -> ReceivedFrame? {
        self.handshake(data: data, ",\"token\":\"\(token)\"\(fields)")
    }

    @discardableResult
    package func subscribe(_ room: String, _ fields: String = "") -> ReceivedFrame? {
        self.request("\"type\":\"subscribe\",\"room\":\"\(room)\"\(fields)")
    }

    @discardableResult
    package func unsubscribe(_ room: String) -> ReceivedFrame? {
        self.request("\"type\":\"unsubscribe\",\"room\":\"\(room)\"")
    }

    /// - Parameter message: one JSON value.
    @discardableResult
    package func publish(_ room: String, _ message: String, _ fields: String = "") -> ReceivedFrame? {
        self.request("\"type\":\"publish\",\"room\":\"\(room)\",\"message\":\(message)\(fields)")
    }

    /// Publishes without asking for an answer; the broker has not handled it on return.
    package func say(_ room: String, _ message: String, _ fields: String = "") {
        self.send("{\"type\":\"publish\",\"room\":\"\(room)\",\"message\":\(message)\(fields)}")
    }

    @discardableResult
    package func history(_ room: String, _ fields: String = "") -> ReceivedFrame? {
        self.request("\"type\":\"history\",\"room\":\"\(room)\"\(fields)")
    }

    /// A member of a room: connected, subscribed, and with nothing received yet.
    package func joined(_ room: String, channel: String = "test", _ fields: String = "") -> TestConnection {
        self.handshake(channel: channel)
        self.subscribe(room, fields)
        _ = self.receive()
        return self
    }

    /// The frames received, in short.
    package func summaries() -> [String] {
        self.receive().map(\.summary)
    }
}
