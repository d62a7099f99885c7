import Foundation
import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTP1
import NIOSSL
import RoomClient
import RoomJSON
import RoomModel

/// A client of the admin API of one broker.
///
/// ```
/// let admin = try AdminClient(.socket("/var/lib/roomline/admin.sock"))
/// try await admin.send(.removeMember("Kf3Qz81LmXw0TbR", from: "lobby", in: "shop", reason: "spam"))
/// await admin.close()
/// ```
///
/// All methods can be called from any task, also concurrently. Requests that follow each other share a connection.
public final class AdminClient: Sendable {
    /// Above what any page has: 1,000 messages of a megabyte would be told as an error.
    private static let longestAnswer = 256 * 1024 * 1024
    private static let longestProblem = 1 << 20
    /// The broker closes connections that are idle for longer than a minute, and one that is not read from does not notice.
    private static let longestIdleTime = TimeAmount.seconds(10)
    private static let mostIdle = 4

    /// Where the broker is.
    public let address: AdminAddress
    private let token: String?
    private let tls: NIOSSLContext?
    private let idle = NIOLockedValueBox<[(connection: AdminConnection, since: NIODeadline)]>([])

    /// Creates a client. It connects with the first request.
    ///
    /// - Parameters:
    ///   - address: where the broker is.
    ///   - token: an admin token, for ``AdminAddress/server(_:)``; the socket needs none.
    ///   - trustedCertificates: the path of a PEM file with the certificates to trust for `https`. `nil`: those that the system
    ///     trusts.
    /// - Throws: ``AdminError/Code/invalidCertificates``.
    public init(
        _ address: AdminAddress,
        token: String? = nil,
        trustedCertificates: String? = nil
    ) throws(AdminError) {
        self.address = address
        self.token = token
        self.tls = try Self.tls(address, trustedCertificates)
    }

    deinit {
        for (connection, _) in self.idle.withLockedValue({ $0 }) { connection.abandon() }
    }

    /// Closes the connections that are not in use. A request opens another one.
    public func close() async {
        let idle = self.idle.withLockedValue { idle in
            defer { idle = [] }
            return idle
        }
        for (connection, _) in idle { await connection.close() }
    }

    /// Carries out a call.
    ///
    /// - Throws: ``AdminError`` for every refusal, and when nobody answers.
    @discardableResult
    public func send<Answer>(_ call: AdminCall<Answer>) async throws(AdminError) -> Answer {
        try await self.answer(to: call).value()
    }

    /// Carries out a call; the answer can be read as a value and as JSON.
    ///
    /// - Throws: ``AdminError`` for every refusal, and when nobody answers.
    public func answer<Answer>(to call: AdminCall<Answer>) async throws(AdminError) -> AdminAnswer<Answer> {
        AdminAnswer(response: try await self.send(call.request), call: call)
    }

    /// Sends a request without types.
    ///
    /// - Throws: ``AdminError`` for every refusal, and when nobody answers.
    public func send(_ request: AdminRequest) async throws(AdminError) -> AdminResponse {
        let response = try await self.exchange(request)
        guard response.isSuccess else { throw AdminError(refusal: response, of: self.address) }
        return response
    }

    /// The answer, also where it is a refusal.
    package func exchange(_ request: AdminRequest) async throws(AdminError) -> AdminResponse {
        do {
            return try await self.ask(request) { head, connection in
                AdminResponse(status: Int(head.status.code), body: try await connection.body(upTo: Self.longestAnswer))
            }
        } catch {
            throw self.failure(error)
        }
    }

    /// Hands on an answer piece by piece, each once the one before is taken.
    package func download(
        _ request: AdminRequest,
        _ take: (ByteBuffer) async throws -> Void
    ) async throws {
        var isTaking = false
        do {
            let problem: AdminResponse? = try await self.ask(request) { head, connection in
                guard head.status == .ok else {
                    let body = try await connection.body(upTo: Self.longestProblem)
                    return AdminResponse(status: Int(head.status.code), body: body)
                }
                while let piece = try await connection.piece() {
                    isTaking = true
                    try await take(piece)
                    isTaking = false
                }
                return nil
            }
            if let problem { throw AdminError(refusal: problem, of: self.address) }
        } catch {
            // What `take` throws is the caller's own.
            throw isTaking ? error : self.failure(error)
        }
    }

    /// Begins a stream that lasts as long as it likes, on a connection of its own.
    func stream(_ request: AdminRequest) async throws(AdminError) -> AdminConnection {
        do {
            let connection = try await AdminConnection.open(self.address, tls: self.tls)
            let problem: AdminResponse?
            do {
                problem = try await connection.within(TimeAmount(request.timeout)) {
                    let head = try await connection.send(self.head(of: request, nil), body: nil)
                    guard head.status != .ok else { return nil }
                    let body = try await connection.body(upTo: Self.longestProblem)
                    return AdminResponse(status: Int(head.status.code), body: body)
                }
            } catch {
                connection.abandon()
                throw error
            }
            guard let problem else { return connection }
            connection.abandon()
            throw AdminError(refusal: problem, of: self.address)
        } catch {
            throw self.failure(error)
        }
    }

    func failure(_ error: any Error) -> AdminError {
        error as? AdminError ?? AdminError(asking: self.address, error)
    }
}

extension AdminClient {
    /// - Parameter read: takes the response to its end.
    private func ask<Answer>(
        _ request: AdminRequest,
        _ read: (HTTPResponseHead, AdminConnection) async throws -> Answer
    ) async throws -> Answer {
        let reused = self.takeIdle()
        if let reused {
            do {
                return try await self.ask(request, on: reused, read)
            } catch AdminConnection.Failure.unanswered where request.canBeRepeated && !Task.isCancelled {
                // The broker had closed it, or was started again: a request whose repeat changes nothing is sent once more.
            }
        }
        return try await self.ask(request, on: try await AdminConnection.open(self.address, tls: self.tls), read)
    }

    private func ask<Answer>(
        _ request: AdminRequest,
        on connection: AdminConnection,
        _ read: (HTTPResponseHead, AdminConnection) async throws -> Answer
    ) async throws -> Answer {
        let body = request.body?.bytes
        do {
            let (answer, isKept) = try await connection.within(TimeAmount(request.timeout)) {
                let head = try await connection.send(self.head(of: request, body), body: body)
                return (try await read(head, connection), head.isKeepAlive)
            }
            if isKept, self.keep(connection) { return answer }
            await connection.close()
            return answer
        } catch {
            await connection.close()
            throw error
        }
    }

    private func takeIdle() -> AdminConnection? {
        self.idle.withLockedValue { idle in
            while let (connection, since) = idle.popLast() {
                if connection.isActive, NIODeadline.now() - since < Self.longestIdleTime { return connection }
                connection.abandon()
            }
            return nil
        }
    }

    /// - Returns: whether it may be used again.
    private func keep(_ connection: AdminConnection) -> Bool {
        self.idle.withLockedValue { idle in
            guard idle.count < Self.mostIdle else { return false }
            idle.append((connection, .now()))
            return true
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
        if let key = request.idempotencyKey { headers.add(name: "idempotency-key", value: key.uuidString) }
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

    private static func tls(_ address: AdminAddress, _ file: String?) throws(AdminError) -> NIOSSLContext? {
        guard case .server(let server) = address, server.isEncrypted else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if let file { configuration.trustRoots = .certificates(try Self.certificates(file)) }
            return try NIOSSLContext(configuration: configuration)
        } catch let error as AdminError {
            throw error
        } catch {
            throw AdminError(
                .invalidCertificates,
                "\(file ?? "the system's certificates") cannot be used: \(ErrorReason.text(error))",
                cause: error
            )
        }
    }

    private static func certificates(_ file: String) throws(AdminError) -> [NIOSSLCertificate] {
        let text: Data
        do {
            text = try Data(contentsOf: URL(filePath: file)).withoutByteOrderMark
        } catch {
            throw AdminError(.invalidCertificates, "\(file) cannot be read: \(ErrorReason.text(error))", cause: error)
        }
        // It throws where there is no certificate, or a broken one.
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(text)), !certificates.isEmpty else {
            throw AdminError(
                .invalidCertificates,
                "\(file) has no certificate in PEM (-----BEGIN CERTIFICATE-----)"
            )
        }
        return certificates
    }
}
