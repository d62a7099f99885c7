import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomJSON

/// Asks the admin API of one broker, one request after the other over one connection.
struct AdminClient: Sendable {
    /// Above what any page has: 1,000 messages of a megabyte would be told as an error.
    private static let longestAnswer = 256 * 1024 * 1024
    private static let longestProblem = 1 << 20
    private static let patience = TimeAmount.seconds(60)
    /// How long a broker may take to copy its files.
    private static let makingPatience = TimeAmount.hours(2)
    /// And to send one of them.
    private static let downloadPatience = TimeAmount.hours(12)

    private static let streamPatience = TimeAmount.hours(24 * 365)

    let address: AdminAddress
    private let token: String?
    private let trusted: TrustedCertificates?
    /// The connection of the request before.
    private let idle = NIOLockedValueBox<AdminConnection?>(nil)

    private init(_ address: AdminAddress, token: String?, trusting trusted: TrustedCertificates?) {
        self.address = address
        self.token = token
        self.trusted = trusted
    }

    /// Lends a client to `body` and closes its connection then.
    ///
    /// - Parameter trusted: what an `https` address has to be certified by; `nil`: the system decides.
    static func with<Value>(
        _ address: AdminAddress,
        token: String?,
        trusting trusted: TrustedCertificates?,
        _ body: (AdminClient) async throws -> Value
    ) async throws -> Value {
        let client = AdminClient(address, token: token, trusting: trusted)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.takeIdle()?.close()
        return try result.get()
    }

    /// - Throws: `CommandFailure` where no broker answers, and for every refusal, with what to do about it.
    func send(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        try await self.accepted(try await self.exchange(request), request)
    }

    /// Asks for something that may take the broker a long time.
    func make(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        try await self.accepted(try await self.exchange(request, patience: Self.makingPatience), request)
    }

    private func accepted(
        _ response: AdminResponse,
        _ request: AdminRequest
    ) async throws(CommandFailure) -> AdminResponse {
        guard (200..<300).contains(response.status) else { throw await self.failure(of: response, to: request) }
        return response
    }

    /// The answer, also where it is a refusal.
    func exchange(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        try await self.exchange(request, patience: Self.patience)
    }

    private func exchange(
        _ request: AdminRequest,
        patience: TimeAmount
    ) async throws(CommandFailure) -> AdminResponse {
        try await self.ask(request, patience: patience) { head, connection in
            AdminResponse(status: Int(head.status.code), body: try await connection.body(upTo: Self.longestAnswer))
        }
    }

    /// Hands on an answer piece by piece, each once the one before is taken.
    func download(
        _ request: AdminRequest,
        patience: TimeAmount = Self.downloadPatience,
        _ take: (ByteBuffer) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let problem: AdminResponse? = try await self.ask(request, patience: patience) { head, connection in
            guard head.status == .ok else {
                let body = try await connection.body(upTo: Self.longestProblem)
                return AdminResponse(status: Int(head.status.code), body: body)
            }
            while let piece = try await connection.piece() { try await take(piece) }
            return nil
        }
        if let problem { throw await self.failure(of: problem, to: request) }
    }

    /// Hands on what a stream has that lasts as long as it likes.
    func follow(
        _ request: AdminRequest,
        _ take: (ByteBuffer) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        try await self.download(request, patience: Self.streamPatience, take)
    }

    /// - Parameter read: takes the response to its end.
    private func ask<Answer>(
        _ request: AdminRequest,
        patience: TimeAmount,
        _ read: (HTTPResponseHead, AdminConnection) async throws -> Answer
    ) async throws(CommandFailure) -> Answer {
        do {
            let connection = try await self.connection()
            let body = request.body?.bytes
            do {
                let (answer, isKept) = try await connection.within(patience) {
                    let head = try await connection.send(self.head(of: request, body), body: body)
                    return (try await read(head, connection), head.isKeepAlive)
                }
                if isKept { self.idle.withLockedValue { $0 = connection } } else { await connection.close() }
                return answer
            } catch {
                await connection.close()
                throw error
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(asking: self.address, error)
        }
    }

    private func connection() async throws -> AdminConnection {
        if let connection = self.takeIdle(), connection.isActive { return connection }
        return try await AdminConnection.open(self.address, trusting: self.trusted)
    }

    private func takeIdle() -> AdminConnection? {
        self.idle.withLockedValue { idle in
            defer { idle = nil }
            return idle
        }
    }

    private func head(of request: AdminRequest, _ body: ByteBuffer?) -> HTTPRequestHead {
        var headers = HTTPHeaders()
        switch self.address {
        case .socket: headers.add(name: "host", value: "localhost")
        case .server(let server):
            headers.add(name: "host", value: server.authority)
            if let token { headers.add(name: "authorization", value: "Bearer \(token)") }
        }
        if let version = request.version { headers.add(name: "if-match", value: "\"\(version)\"") }
        if let event = request.lastEventID { headers.add(name: "last-event-id", value: event) }
        if body != nil { headers.add(name: "content-type", value: request.contentType) }
        if request.method == .post || request.method == .patch {
            headers.add(name: "content-length", value: "\(body?.readableBytes ?? 0)")
        }
        return HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: request.method.rawValue),
            uri: request.target,
            headers: headers
        )
    }
}
