#if Cluster
import Foundation
import NIOCore
@testable import RoomCluster

/// Servers on free ports of loopback, with their files in a temporary folder; one alone, or several that make a cluster.
final class NATSServers {
    private let binary: String
    private let directory: URL
    private let ports: [Int]
    private var processes: [Process] = []

    static var binary: String {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.appendingPathComponent(".venv/bin/nats-server").path
    }

    /// - Parameter extra: lines of the configuration.
    init(_ count: Int = 1, binary: String = NATSServers.binary, hasJetStream: Bool = true, extra: String = "") throws {
        self.binary = binary
        self.directory = FileManager.default.temporaryDirectory.appendingPathComponent("roomline-nats-\(UUID())")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        self.ports = Self.freePorts(2 * count)
        let routes = self.ports[count...].map { "nats://127.0.0.1:\($0)" }.joined(separator: ",")
        for index in 0..<count {
            let store = self.directory.appendingPathComponent("s\(index)").path
            var text = "server_name: s\(index)\nlisten: \"127.0.0.1:\(self.ports[index])\"\n\(extra)\n"
            if hasJetStream { text += "jetstream { store_dir: \"\(store)\" }\n" }
            if count > 1 {
                let listen = "127.0.0.1:\(self.ports[count + index])"
                text += "cluster { name: test, listen: \"\(listen)\", routes: [\(routes)] }\n"
            }
            try text.write(to: self.configuration(index), atomically: true, encoding: .utf8)
            self.processes.append(try self.run(index))
        }
    }

    deinit {
        for process in self.processes {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // A folder of the system's for such files.
        try? FileManager.default.removeItem(at: self.directory)
    }

    var urls: [String] { self.ports.prefix(self.processes.count).map { "nats://127.0.0.1:\($0)" } }

    func signal(_ index: Int, _ signal: Int32) { kill(self.processes[index].processIdentifier, signal) }

    func restart(_ index: Int) throws {
        self.processes[index].waitUntilExit()
        self.processes[index] = try self.run(index)
    }

    /// Opens the cluster as soon as the servers are up and have elected their leaders.
    func open(
        _ settings: StreamSettings,
        incarnation: String = "1",
        first: Int = 0,
        credentials: NATSCredentials? = nil
    ) async throws -> NATSCluster {
        let urls = Array(self.urls[first...] + self.urls[..<first])
        let access = NATSAccess(servers: urls, credentials: credentials)
        var attempts = 0
        while true {
            do throws(ClusterFailure) {
                return try await NATSCluster.open(
                    access,
                    settings,
                    incarnation: incarnation,
                    patience: .milliseconds(500)
                )
            } catch {
                attempts += 1
                let isEarly = error.code == .unreachable || error.code == .noAnswer
                guard isEarly && attempts < 200 || error.code == .replicas && self.urls.count > 1 && attempts < 200
                else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func configuration(_ index: Int) -> URL { self.directory.appendingPathComponent("s\(index).conf") }

    private func run(_ index: Int) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: self.binary)
        process.arguments = ["-c", self.configuration(index).path]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Ports that were free a moment ago. They are below those that the system gives: while a server is down, its clients would reach whoever is
    /// given its port.
    private static func freePorts(_ count: Int) -> [Int] {
        var sockets: [Int32] = []
        defer { for each in sockets { close(each) } }
        var ports: [Int] = []
        while ports.count < count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            let port = Int.random(in: 20_000..<32_000)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = UInt16(port).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isFree = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
            }
            if isFree { ports.append(port) }
        }
        return ports
    }
}
#endif
