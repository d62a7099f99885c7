import NIOCore
import RoomCore
import RoomDelivery
import RoomHTTP
import RoomTransport

/// Gives each connection that has become a WebSocket to the shard of its event loop.
struct WebSockets: Sendable {
    let shards: [ShardRef]
    let settings: ConnectionSettings
    let gate: ConnectionGate

    /// - Throws: where the channel is closed already.
    @Sendable func accept(_ channel: any Channel, _ peer: StreamPeer) throws {
        guard let shard = self.shards.first(where: { $0.eventLoop === channel.eventLoop }) else {
            throw ChannelError.ioOnClosedChannel
        }
        let handler = WebSocketHandler(
            shard: shard.onLoop,
            settings: self.settings,
            gate: self.gate,
            address: peer.address,
            page: peer.page
        ) { context in
            peer.isTLS ? nil : SocketWriter.past(context)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}
