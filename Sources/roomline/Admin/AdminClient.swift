import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RoomWire

/// Asks the admin API of one broker, one request after the other over one connection.
struct AdminClient: Sendable {
    /// Above what any page has: 1,000 messages of a megabyte would be told as an error.
    private static let longestAnswer = 256 * 1024 * 1024
    static let patience = TimeAmount.seconds(60)

    let address: AdminAddress
    private let token: String?
    let http: HTTPClient

    /// Lends a client to `body` and closes its connection then.
    ///
    /// - Parameter trusted: what an `https` address has to be certified by; `nil`: the system decides.
    static func with<Value>(
        _ address: AdminAddress,
        token: String?,
        trusting trusted: TrustedCertificates?,
        _ body: (AdminClient) async throws -> Value
    ) async throws -> Value {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.tlsConfiguration = trusted?.tls
        configuration.timeout.connect = .seconds(10)
        // Somebody waits in front of it: where no broker is, that is what they should hear, and at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(AdminClient(address: address, token: token, http: http)))
        } catch {
            result = .failure(error)
        }
        // It throws where requests are under way: there are none any more.
        try? await http.shutdown()
        return try result.get()
    }

    /// - Throws: `CommandFailure` where no broker answers, and for every refusal, with what to do about it.
    func send(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        let response = try await self.exchange(request)
        guard (200..<300).contains(response.status) else {
            throw await self.failure(of: response, to: request)
        }
        return response
    }

    /// The answer, also where it is a refusal.
    func exchange(
        _ request: AdminRequest,
        patience: TimeAmount = Self.patience
    ) async throws(CommandFailure) -> AdminResponse {
        do {
            let response = try await self.http.execute(self.httpRequest(request), timeout: patience)
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            return AdminResponse(status: Int(response.status.code), body: body)
        } catch {
            throw CommandFailure(asking: self.address, error)
        }
    }

    func httpRequest(_ request: AdminRequest) -> HTTPClientRequest {
        var result: HTTPClientRequest
        switch self.address {
        case .socket(let path):
            let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? path
            result = HTTPClientRequest(url: "http+unix://\(host)\(request.target)")
            result.headers.add(name: "host", value: "localhost")
        case .server(let url):
            result = HTTPClientRequest(url: url + request.target)
            if let token { result.headers.add(name: "authorization", value: "Bearer \(token)") }
        }
        result.method = .init(rawValue: request.method.rawValue)
        if let version = request.version { result.headers.add(name: "if-match", value: "\"\(version)\"") }
        if let body = request.body {
            result.headers.add(name: "content-type", value: request.contentType)
            result.body = .bytes(body.bytes)
        }
        return result
    }
}
