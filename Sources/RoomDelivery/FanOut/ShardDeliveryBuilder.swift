import RoomCore

/// Sorts a sealed batch by the shards that it concerns.
struct ShardDeliveryBuilder {
    private let owned: OwnedRoom
    private let view: RoomView
    private let node: NodeNumber
    /// By shard.
    private var deliveries: [ShardDelivery?]

    /// Every shard that has a replica gets a delivery, if only for the window's start.
    ///
    /// - Parameter node: this one; what is for connections of others is theirs to deliver.
    init(
        of owned: OwnedRoom,
        _ view: RoomView,
        on node: NodeNumber,
        chunk: Chunk? = nil,
        redacted: [ShardDelivery.Redacted] = []
    ) {
        self.owned = owned
        self.view = view
        self.node = node
        var delivery = ShardDelivery(of: owned, view)
        delivery.chunk = chunk
        delivery.redacted = redacted
        self.deliveries = owned.replicas.map { $0 ? delivery : nil }
    }

    mutating func add(_ answer: RoomAnswer) {
        if case .acknowledged(let acknowledgement) = answer.content, acknowledgement.origin.callback == nil { return }
        if let connection = answer.connection {
            if connection.node == self.node { self.add(answer, to: connection.shard) }
            return
        }
        for shard in self.deliveries.indices where self.owned.replicas[shard] { self.add(answer, to: shard) }
    }

    /// A chunk of the window has another one in its place, with the same entries.
    mutating func replace(_ chunk: Chunk) {
        for shard in self.deliveries.indices where self.owned.replicas[shard] {
            self.deliveries[shard]?.replaced.append(chunk)
        }
    }

    private mutating func add(_ answer: RoomAnswer, to shard: Int) {
        self.begin(shard)
        self.deliveries[shard]?.add(answer)
    }

    private mutating func begin(_ shard: Int) {
        if self.deliveries[shard] == nil { self.deliveries[shard] = ShardDelivery(of: self.owned, self.view) }
    }

    /// Gives shards with their first subscriber a replica, and takes it from those with none any more.
    mutating func setReplicas(chunk: Chunk?) {
        for shard in self.deliveries.indices {
            let (had, has) = (self.owned.replicas[shard], self.view.subscribers[shard, of: self.node] > 0)
            // those whom the batch lets in and takes out again are told of both
            let isBrief = !had && !has && self.deliveries[shard]?.letsSomebodyIn ?? false
            guard had != has || isBrief else { continue }
            if !had {
                // of several nodes: nobody may be there any more to hear the answer
                self.begin(shard)
                self.deliveries[shard]?.window = self.owned.window.array
                self.deliveries[shard]?.chunk = chunk
            }
            self.deliveries[shard]?.dropsReplica = !has
            self.owned.replicas[shard] = has
        }
    }

    consuming func send(_ send: (ShardDelivery, Int) -> Void) {
        for (shard, delivery) in self.deliveries.enumerated() {
            if let delivery { send(delivery, shard) }
        }
    }
}
