import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomCore
import RoomJSON

/// The HTTP side of nats-servers, which tells what their NATS side does not: how they sync
/// (<https://docs.nats.io/running-a-nats-service/nats_admin/monitoring>, `/jsz`).
package struct ServerMonitoring: Sendable {
    /// What was found at an address.
    struct Server {
        let address: String
        let answer: Result<State, Failure>
    }

    struct State: Equatable {
        let id: String
        let syncsAlways: Bool
        /// How many servers have JetStream in its cluster.
        let clusterSize: Int
    }

    /// Why a server cannot be asked.
    struct Failure: Error {
        let text: String
    }

    let addresses: [String]
    private static let patience = TimeAmount.seconds(2)
    private static let largestPage = 1 << 20

    /// - Parameter addresses: as `http://host:8222`.
    package var isNamed: Bool { !self.addresses.isEmpty }

    /// Asks all servers at once; one that does not answer within two seconds cannot be asked.
    func syncs() async -> ServerSyncs {
        let servers = await withTaskGroup(of: (Int, Server).self) { group in
            for (index, address) in self.addresses.enumerated() {
                group.addTask { (index, Server(address: address, answer: await Self.state(at: address))) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return ServerSyncs(servers.sorted { $0.key < $1.key }.map(\.value))
    }

    private static func state(at address: String) async -> Result<State, Failure> {
        guard let url = URLComponents(string: address), let host = url.host else {
            return .failure(Failure(text: "it is not an address"))
        }
        do {
            let page = try await self.page("/jsz", of: host, port: url.port ?? 80)
            return State(page: page).map(Result.success)
                ?? .failure(Failure(text: "its answer is none of a nats-server with JetStream"))
        } catch let failure as Failure {
            return .failure(failure)
        } catch let error as NIOConnectionError {
            let first = error.connectionErrors.first.map { "\($0.error)" }
            return .failure(Failure(text: first ?? "nobody knows the name \(host)"))
        } catch {
            return .failure(Failure(text: "\(error)"))
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
                    throw Failure(text: "it answers with status \(answer.head.status.code)")
                }
                return body
            }
            throw Failure(text: "it does not answer")
        }
    }
}

extension ServerMonitoring.State {
    /// - Parameter page: the answer to `GET /jsz`.
    init?(page: ByteBuffer) {
        guard let tree = try? JSONTree.read(page), let id = tree["server_id"]?.stringValue else { return nil }
        self.init(
            id: id,
            syncsAlways: tree["config"]?["sync_always"] == .bool(true),
            clusterSize: Int(clamping: tree["meta_cluster"]?["cluster_size"]?.numberValue ?? 1)
        )
    }
}
