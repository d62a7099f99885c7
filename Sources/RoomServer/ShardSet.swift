import NIOCore
import NIOPosix
import RoomDelivery

/// Makes one shard for each event loop and tells them of each other.
enum ShardSet {
    static func make(on group: MultiThreadedEventLoopGroup, environment: ShardEnvironment) async throws -> [ShardRef] {
        let loops = Array(group.makeIterator())
        var shards: [ShardRef] = []
        for (index, loop) in loops.enumerated() {
            let shard = try await loop.submit {
                RoomShard.make(
                    index: index,
                    eventLoop: loop,
                    environment: environment,
                    shards: loops.count,
                    entropy: .system
                )
            }.get()
            shards.append(shard)
        }
        for shard in shards {
            try await shard.ask { [shards] in $0.connect(shards) }.get()
        }
        return shards
    }
}
