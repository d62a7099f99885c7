import NIOCore
import RoomDelivery
import RoomHTTP
import RoomTransport

/// Gives each connection that has become an event stream to the shard of its event loop.
struct EventStreams: Sendable {
    let shards: [ShardRef]
    let settings: ConnectionSettings

    /// - Throws: where the channel is closed already.
    @Sendable func accept(_ channel: any Channel, _ request: EventStreamRequest) throws {
        guard let shard = self.shards.first(where: { $0.eventLoop === channel.eventLoop }) else {
            throw ChannelError.ioOnClosedChannel
        }
        let peer = request.peer
        let handler = EventStreamHandler(
            shard: shard.onLoop,
            settings: self.settings,
            address: peer.address,
            page: peer.page,
            answer: .init(room: request.room, head: request.head, refusal: request.refusal)
        ) { context in
            peer.isTLS ? nil : SocketWriter.past(context)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}
