import Logging
import NIOConcurrencyHelpers
import NIOHTTP1
import Testing

@testable import RoomHTTP

@Suite struct HealthRoutesTests {
    private func health(
        _ path: String = "/health",
        isWritable: Bool = true,
        warnings: [String] = []
    ) async throws -> (status: HTTPResponseStatus, body: String) {
        var routes = HTTPRoutes()
        HealthRoutes(drain: DrainSignal(), isWritable: { isWritable }, warnings: { warnings }).addRoutes(to: &routes)
        let response = try await routes.respond(to: .make(.GET, path))
        return (response.status, try await response.text)
    }

    @Test(arguments: ["/health", "/health/ready"]) func `a limit that is nearly reached is a warning, and no fault`(
        path: String
    ) async throws {
        let warned = try await self.health(path, warnings: ["stored_rooms", "memory"])
        #expect(warned.status == .ok)
        #expect(
            warned.body
                == #"{"status":"ok","checks":{"listening":true,"store":true,"draining":false},"#
                + #""warnings":["stored_rooms","memory"]}"#
        )
        #expect(try await !self.health(path).body.contains("warnings"))
    }

    @Test func `who cannot store is not ready, and alive`() async throws {
        let answer = try await self.health(isWritable: false)
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.body.hasPrefix(#"{"status":"unavailable","checks":{"listening":true,"store":false,"#))
        #expect(try await self.health("/health/live", isWritable: false).status == .ok)
    }
}
