package import NIOCore

/// Reaches a shard from anywhere: what is posted runs on the shard's event loop, in the order of posting.
package struct ShardRef: Sendable {
    package let index: Int
    package let eventLoop: any EventLoop
    private let bound: NIOLoopBound<RoomShard>

    /// On the shard's event loop.
    init(_ shard: RoomShard) {
        self.index = shard.index
        self.eventLoop = shard.eventLoop
        self.bound = NIOLoopBound(shard, eventLoop: shard.eventLoop)
    }

    package func post(_ work: @escaping @Sendable (RoomShard) -> Void) {
        self.eventLoop.execute { work(self.bound.value) }
    }

    /// Runs `work` on the shard's loop and gives its result. Fails where the loop is shut down.
    package func ask<Value: Sendable>(_ work: @escaping @Sendable (RoomShard) -> Value) -> EventLoopFuture<Value> {
        self.eventLoop.submit { work(self.bound.value) }
    }

    /// The shard itself, for a caller on its event loop.
    package var onLoop: RoomShard { self.bound.value }
}
