import NIOCore
import RoomModel
import RoomWire

/// One line of the client's, as a broker decodes it.
struct AskedFrame: Sendable, CustomStringConvertible {
    let line: String
    let result: Result<ClientFrame, RequestError>

    init(_ line: ByteBuffer) {
        self.line = String(buffer: line)
        self.result = Result { () throws(RequestError) in
            try FrameDecoder(limits: FrameLimits()).decode(line)
        }
    }

    var description: String { self.line }

    /// `subscribe`, `publish`…
    var kind: String {
        switch self.result {
        case .success(let frame): String("\(frame.request)".prefix { $0 != "(" })
        case .failure(let error): "\(error.code)"
        }
    }
}

/// A frame of the kind that was expected.
struct Asked<Body: Sendable>: Sendable {
    let body: Body
    let callback: Int64?
    let line: String
}

/// Something else came.
struct UnexpectedFrame: Error, CustomStringConvertible {
    let expected: String
    let frame: AskedFrame

    var description: String { "expected \(self.expected), got \(self.frame)" }
}

/// The client's next frame, which has to be of one kind.
extension ScriptedConnection {
    func handshake() async throws -> Asked<HandshakeRequest> {
        try await self.next("handshake") { if case .handshake(let body) = $0 { body } else { nil } }
    }

    func authenticate() async throws -> Asked<String> {
        try await self.next("authenticate") { if case .authenticate(let body) = $0 { body } else { nil } }
    }

    func subscribe() async throws -> Asked<SubscribeRequest> {
        try await self.next("subscribe") { if case .subscribe(let body) = $0 { body } else { nil } }
    }

    func unsubscribe() async throws -> Asked<RoomSelection> {
        try await self.next("unsubscribe") { if case .unsubscribe(let body) = $0 { body } else { nil } }
    }

    func publish() async throws -> Asked<PublishRequest> {
        try await self.next("publish") { if case .publish(let body) = $0 { body } else { nil } }
    }

    func history() async throws -> Asked<HistoryRequest> {
        try await self.next("history") { if case .history(let body) = $0 { body } else { nil } }
    }

    func moderation() async throws -> Asked<ModerationRequest> {
        try await self.next("moderate") { if case .moderate(let body) = $0 { body } else { nil } }
    }

    /// The member data.
    func update() async throws -> Asked<String> {
        try await self.next("update") { if case .update(let body) = $0 { String(buffer: body) } else { nil } }
    }

    private func next<Body>(_ expected: String, _ body: (Request) -> Body?) async throws -> Asked<Body> {
        let frame = try await self.next()
        guard let decoded = try? frame.result.get(), let body = body(decoded.request) else {
            throw UnexpectedFrame(expected: expected, frame: frame)
        }
        return Asked(body: body, callback: decoded.callback, line: frame.line)
    }
}
