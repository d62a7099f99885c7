import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import RoomCore
import RoomJSON

/// The HTTP side of nats-servers, which tells what their NATS side does not: how they sync
/// (<https://docs.nats.io/running-a-nats-service/nats_admin/monitoring>, `/jsz`).
package struct ServerMonitoring: Sendable {
    /// What was found at an address.
    package struct Server: Equatable, Sendable {
        package var address: String
        package var answer: Answer

        package init(address: String, answer: Answer) {
            self.address = address
            self.answer = answer
        }
    }

    package enum Answer: Equatable, Sendable {
        case answered(State)
        case failed(String)
    }

    package struct State: Equatable, Sendable {
        package var id: String
        package var syncsAlways: Bool
        /// How many servers have JetStream in its cluster.
        package var clusterSize: Int

        package init(id: String, syncsAlways: Bool, clusterSize: Int) {
            self.id = id
            self.syncsAlways = syncsAlways
            self.clusterSize = clusterSize
        }

        /// - Parameter page: the answer to `GET /jsz`.
        init?(page: ByteBuffer) {
            guard let tree = try? JSONTree.read(page), let id = tree["server_id"]?.stringValue else { return nil }
            self.id = id
            self.syncsAlways = tree["config"]?["sync_always"] == .bool(true)
            self.clusterSize = Int(clamping: tree["meta_cluster"]?["cluster_size"]?.numberValue ?? 1)
        }
    }

    private let addresses: [String]
    private static let patience = TimeAmount.seconds(2)
    private static let largestPage = 1 << 20

    /// - Parameter addresses: as `http://host:8222`.
    package init(_ addresses: [String]) {
        self.addresses = addresses
    }

    package var isNamed: Bool { !self.addresses.isEmpty }

    /// Asks all servers at once; one that does not answer within two seconds cannot be asked.
    package func syncs() async -> ServerSyncs {
        let servers = await withTaskGroup(of: (Int, Server).self) { group in
            for (index, address) in self.addresses.enumerated() {
                group.addTask { (index, Server(address: address, answer: await Self.state(at: address))) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return ServerSyncs(servers.sorted { $0.key < $1.key }.map(\.value))
    }

    private static func state(at address: String) async -> Answer {
        guard let url = URLComponents(string: address), let host = url.host else { return .failed("it is no address") }
        do {
            let page = try await self.page("/jsz", of: host, port: url.port ?? 80)
            return State(page: page).map(Answer.answered)
                ?? .failed("its answer is none of a nats-server with JetStream")
        } catch {
            return .failed("\(error)")
        }
    }

    private static func page(_ path: String, of host: String, port: Int) async throws -> ByteBuffer {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(self.patience)
            .connect(host: bare, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: self.largestPage))
                    return try NIOAsyncChannel<NIOHTTPClientResponseFull, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        // it ends the wait for an answer, too
        let timer = connection.channel.eventLoop.scheduleTask(in: self.patience) {
            connection.channel.close(promise: nil)
        }
        defer { timer.cancel() }
        return try await connection.executeThenClose { answers, requests in
            let headers: HTTPHeaders = ["Host": "\(host):\(port)", "Connection": "close"]
            try await requests.write(.head(.init(version: .http1_1, method: .GET, uri: path, headers: headers)))
            try await requests.write(.end(nil))
            for try await answer in answers {
                guard answer.head.status == .ok, let body = answer.body else {
                    throw Failure.status(answer.head.status.code)
                }
                return body
            }
            throw Failure.silent
        }
    }

    private enum Failure: Error, CustomStringConvertible {
        case status(UInt)
        case silent

        var description: String {
            switch self {
            case .status(let code): "it answers with status \(code)"
            case .silent: "it does not answer"
            }
        }
    }
}
