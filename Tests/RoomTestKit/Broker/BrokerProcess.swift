import Foundation
import NIOConcurrencyHelpers
package import RoomModel

/// The built broker on a data directory of its own: killed and started again as a test likes, and gone after it.
package final class BrokerProcess: Sendable {
    private let data: URL
    private let flags: [String]
    /// How clients of this test reach it.
    private let transport: ClientTransport
    private let runs: NIOLockedValueBox<[BrokerRun]>

    private init(data: URL, flags: [String], transport: ClientTransport, first: BrokerRun) {
        self.data = data
        self.transport = transport
        self.flags = flags
        self.runs = NIOLockedValueBox([first])
    }

    /// Whether tests may start processes. `scripts/check` says no, and suites that start some are left out by it.
    package static let isAllowed = ProcessInfo.processInfo.environment["ROOMLINE_PROCESSES"] != "off"

    /// A test has started one where `isAllowed` is false: its suite does not ask.
    private struct IsNotAllowed: Error {}

    /// Runs `body` with a broker and ends the broker's process, however `body` ends.
    ///
    /// - Parameter flags: of `roomline serve`, beside its listener and its data directory.
    package static func with<Value>(
        flags: [String] = [],
        _ body: (BrokerProcess) async throws -> Value
    ) async throws -> Value {
        guard self.isAllowed else { throw IsNotAllowed() }
        let data = FileManager.default.temporaryDirectory.appending(path: "roomline-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: data) }  // the system's to clean up where it cannot be removed
        let transport = ClientTransport.current
        let first = try await BrokerRun.start(data: data, ports: BrokerPorts(for: transport), flags: flags)
        let broker = BrokerProcess(data: data, flags: flags, transport: transport, first: first)
        do {
            let value = try await body(broker)
            try await broker.kill9()
            return value
        } catch {
            try await broker.kill9()
            throw error
        }
    }

    /// Where the newest process listens for lines, or has listened.
    package var port: Int { self.newest.ports.tcp }

    /// Where it listens for clients of the transport of this test.
    package var clientPort: Int { self.newest.ports.http ?? self.port }

    package var url: String { self.transport.url(port: self.clientPort) }

    private var newest: BrokerRun { self.runs.withLockedValue { $0[$0.count - 1] } }

    /// Where administrators reach it.
    package var adminSocket: String { self.data.appending(path: "admin.sock").path }

    /// The lines that no broker should have to log, of all processes.
    package var alarms: [String] { self.runs.withLockedValue { $0.flatMap(\.log.alarms) } }

    /// The newest lines of the log.
    package var tail: [String] { self.newest.log.tail }

    /// Signs tokens of this channel, which the broker has made.
    package func tokens(of channel: String = "default") throws -> TokenMint {
        TokenMint(channel: channel, secret: try self.secret(of: channel))
    }

    /// The secret that this channel's tokens are signed with.
    package func secret(of channel: String = "default") throws -> ChannelSecret {
        try ControlFile(in: self.data).secret(of: channel)
    }

    /// Nothing of what the process still meant to do is done.
    package func kill9() async throws {
        try await self.newest.end(by: SIGKILL)
    }

    /// Ends the process as an operator does.
    ///
    /// - Returns: its exit code.
    @discardableResult
    package func stop() async throws -> Int32 {
        try await self.newest.end(by: SIGTERM)
    }

    /// Removes all that the process before has stored.
    package func forget() throws {
        try FileManager.default.removeItem(at: self.data)
    }

    /// Starts a process on the data of the one before, which has to have ended.
    package func restart(samePort: Bool = false) async throws {
        let ports = samePort ? self.newest.ports : BrokerPorts(for: self.transport)
        let run = try await BrokerRun.start(data: self.data, ports: ports, flags: self.flags)
        self.runs.withLockedValue { $0.append(run) }
    }
}
