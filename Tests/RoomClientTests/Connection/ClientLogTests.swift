import Logging
import NIOConcurrencyHelpers
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct ClientLogTests {
    @Test func `the life of a connection and of a room is logged, and nothing that they carry`() async throws {
        let lines = LogLines()
        try await ScriptedBroker.with { broker in
            let client = try broker.client(
                memberData: JSON(#""secret-data""#),
                token: .fixed("secret-token"),
                logger: lines.logger
            )
            let joining = client.startJoining("lobby", history: 0)
            try await broker.refuse()
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            try await link.deliver(1, #""secret-text""#)
            try await link.remove(because: "not with this token")
            #expect(await room.readMessages() == [#""secret-text""#])
            try await link.goodbye(.banned)
            #expect(await client.state() == "closed banned")
        }
        #expect(
            lines.all == [
                "debug Connecting host=broker.example port=7000",
                "debug Not connected code=connection_failed error=… retry_in=…",
                "debug Connecting host=broker.example port=7000",
                "debug Connected client_id=ann",
                "debug Joined a room room=lobby",
                "debug Left a room code=permission_denied error=… room=lobby",
                "debug Closed code=banned error=…",
            ]
        )
    }

    @Test func `a client that the app closes has no error`() async throws {
        let lines = LogLines()
        try await ScriptedBroker.with { broker in
            let client = try broker.client(logger: lines.logger)
            await client.close()
        }
        #expect(lines.all == ["debug Closed"])
    }
}

/// Collects what is logged: the level, the message and the metadata in the order of its keys. Values that tests of other things
/// look at are left out.
private final class LogLines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    var all: [String] { self.lines.withLockedValue { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { key, value in
                ["error", "retry_in"].contains(key) ? "\(key)=…" : "\(key)=\(value)"
            }
            let line = (["\(event.level) \(event.message)"] + fields).joined(separator: " ")
            self.lines.lines.withLockedValue { $0.append(line) }
        }
    }
}
