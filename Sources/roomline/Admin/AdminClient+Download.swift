import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension AdminClient {
    /// How long a broker may take to copy its files.
    private static let makingPatience = TimeAmount.hours(2)
    /// And to send one of them.
    private static let downloadPatience = TimeAmount.hours(12)
    private static let longestProblem = 1 << 20

    /// Asks for something that may take the broker a long time.
    func make(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        let response = try await self.exchange(request, patience: Self.makingPatience)
        guard (200..<300).contains(response.status) else { throw await self.failure(of: response, to: request) }
        return response
    }

    /// Hands on an answer piece by piece, each once the one before is taken.
    func download(
        _ request: AdminRequest,
        _ take: (ByteBuffer) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let response: HTTPClientResponse
        var problem: AdminResponse?
        do {
            response = try await self.http.execute(self.httpRequest(request), timeout: Self.downloadPatience)
            if response.status != .ok {
                let body = try await response.body.collect(upTo: Self.longestProblem)
                problem = AdminResponse(status: Int(response.status.code), body: body)
            }
        } catch {
            throw CommandFailure(asking: self.address, error)
        }
        if let problem { throw await self.failure(of: problem, to: request) }
        do {
            for try await piece in response.body { try await take(piece) }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(asking: self.address, error)
        }
    }
}
