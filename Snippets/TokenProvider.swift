import Foundation
import RoomClient

/// Asks the app's own backend, which knows who is logged in and has the channel's secret.
@Sendable func token(for clientID: String) async throws -> String {
    var backend = URLComponents()
    backend.path = "/room-token"
    backend.queryItems = [URLQueryItem(name: "client", value: clientID)]
    return try await fetch(backend)
}

// Called for each connection, and again when a token has expired. After an error the client tries again later.
let client = try RoomClient("tls://rooms.example:10000", channel: "shop", token: .provider(token(for:)))

do {
    try await client.connect()
} catch {
    switch error.code {
    case .tokenInvalid, .permissionDenied: print("log in again:", error.message)
    default: print(error.isRetryable ? "later, perhaps:" : "never:", error.message)
    }
}

// snippet.hide
@Sendable func fetch(_ url: URLComponents) async throws -> String { "" }
