import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomModel
import RoomWire

/// Stored messages, deleted by number or age.
struct PruneRoutes: AdminRoutes {
    let places: AdminPlaces
    let moderation: ModerationRegistry
    let nodes: AdminNodes
    let rooms: any RoomAccess
    let storedRooms: (any StoredRoomList)?
    let pruner: (any HistoryPruner)?
    let pruneActs = PruneActs()

    /// A request deletes no more messages, because the moderators of the channel wait for it.
    private static let mostMessages: UInt64 = 16_384
    private static let mostRooms = 100

    func add(to router: inout AdminRouter) {
        router.on(.POST, "channels/:channel/prune", scope: .moderate, query: ["after"], self.pruneHistory)
    }

    @Sendable private func pruneHistory(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        try self.nodes.checkNodes(canRead: .orders, for: "prune messages")
        let channel = try await self.places.channel(of: call)
        let order = try self.pruneOrder(call.body())
        let place = try self.prunePlace(call.query)
        let step = PruneStep(channel: channel, order: order, place: place)
        if order.isDryRun {
            let done = try await Problem.answering { () throws(RequestError) in try await self.run(step) }
            return .document(PrunedMessages(done))
        }
        let caller = call.caller
        let act = PruneActs.Act(actor: caller.actor, channel: channel, room: order.room, bound: order.bound)
        let isNoted = self.pruneActs.isContinued(act, from: call.query["after"])
        let done = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.prune(
                order.bound,
                in: channel,
                order.room,
                by: Moderator(caller),
                isNoted: isNoted
            ) { () throws(RequestError) in
                let done = try await self.run(step)
                return (done, isDone: done.total.messages > 0)
            }
        }
        if isNoted || done.total.messages > 0 {
            self.pruneActs.done(act, next: done.next.map { PageCursor.text($0.text) })
        }
        return .document(PrunedMessages(done))
    }

    private func pruneOrder(_ body: AdminPruneOrder) throws(Problem) -> PruneOrder {
        var order = PruneOrder()
        order.bound.count = body.keep.map { UInt64($0) }
        order.bound.ageMilliseconds = body.olderThan.map { Int64($0 / .milliseconds(1)) }
        order.isDryRun = body.isDryRun
        order.room = try self.places.room(body.room, "the name of a room")
        guard order.bound != PruneBound() else {
            throw .invalid("neither keep nor older_than_seconds is given: give one of them, or both")
        }
        return order
    }

    private func prunePlace(_ query: AdminQuery) throws(Problem) -> PrunePlace? {
        guard let text = try query.cursor("after") else { return nil }
        guard let place = PrunePlace(text) else {
            throw .invalid("after is not a value that next of an answer had")
        }
        return place
    }

    /// Prunes rooms until there are no more, or it is enough for one request.
    private func run(_ step: PruneStep) async throws(RequestError) -> PruneStep {
        var step = step
        if let room = step.order.room {
            _ = try await self.prune(room, &step)
            return step
        }
        var after: RoomName?
        switch step.place {
        case .within(let room):
            guard try await self.prune(room, &step) else { return step }
            after = room
        case .after(let room): after = room
        case nil: break
        }
        let query = StoredRoomQuery(after: after, limit: Self.mostRooms, asker: .administrator("prune"))
        let channel = step.channel
        let page = try await Self.storage { () throws(EngineError) in
            try await self.storedRooms?.storedRooms(in: channel, query)
        }
        for room in page?.rooms ?? [] {
            guard try await self.prune(room.name, &step) else { return step }
        }
        step.next = page?.hasMore == true ? page?.rooms.last.map { .after($0.name) } : nil
        return step
    }

    /// - Returns: whether there is room for more in this request.
    private func prune(_ name: RoomName, _ step: inout PruneStep) async throws(RequestError) -> Bool {
        let (key, bound, isDryRun) = (RoomKey(channel: step.channel, room: name), step.order.bound, step.order.isDryRun)
        let left = Self.mostMessages - min(step.total.messages, Self.mostMessages - 1)
        let receipt = try await Self.storage { () throws(EngineError) in
            guard let pruner = self.pruner else { return PruneReceipt() }
            return isDryRun
                ? try await pruner.prunable(key, keeping: bound)
                : try await pruner.prune(key, keeping: bound, atMost: left)
        }
        if !isDryRun, let place = receipt.place { await self.rooms.pruned(key, through: place) }
        if receipt.failure != nil { throw Self.storageFailure }
        step.add(receipt)
        let isFull = !isDryRun && step.total.messages >= Self.mostMessages
        if receipt.hasMore {
            step.next = .within(name)
        } else if isFull {
            step.next = step.order.room == nil ? .after(name) : nil
        }
        return !receipt.hasMore && !isFull
    }

    private static func storage<Value>(
        _ call: () async throws(EngineError) -> Value
    ) async throws(RequestError) -> Value {
        do throws(EngineError) {
            return try await call()
        } catch {
            throw self.storageFailure
        }
    }

    private static var storageFailure: RequestError {
        RequestError(
            .storageUnavailable,
            "the history cannot be changed now, and some messages may be deleted already: repeat the request",
            retryAfterMilliseconds: 1_000
        )
    }
}

/// The body of a request.
private struct PruneOrder: Sendable {
    var room: RoomName?
    var bound = PruneBound()
    var isDryRun = false
}

/// The place at which a request goes on that has a long channel to prune.
private enum PrunePlace: Sendable {
    /// This room has more.
    case within(RoomName)
    /// This one is done.
    case after(RoomName)

    init?(_ text: String) {
        let name = RoomName(String(text.dropFirst()))
        switch text.first {
        case "w": self = .within(name)
        case "a": self = .after(name)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .within(let room): "w\(room.text)"
        case .after(let room): "a\(room.text)"
        }
    }
}

/// One request, and how far it is.
private struct PruneStep: Sendable {
    let channel: ChannelID
    let order: PruneOrder
    let place: PrunePlace?
    private(set) var total = PruneReceipt()
    private(set) var rooms = 0
    var next: PrunePlace?

    mutating func add(_ receipt: PruneReceipt) {
        guard receipt.messages > 0 else { return }
        // a room that takes several requests counts once, when it is done
        if !receipt.hasMore { self.rooms += 1 }
        self.total.messages += receipt.messages
        self.total.bytes += receipt.bytes
        self.total.isEstimate = self.total.isEstimate || receipt.isEstimate
    }
}

extension PrunedMessages {
    fileprivate init(_ step: PruneStep) {
        self.init()
        (self.rooms, self.messages) = (UInt64(step.rooms), step.total.messages)
        (self.bytes, self.bytesAreEstimated) = (step.total.bytes, step.total.isEstimate)
        self.next = step.next.map { PageCursor.text($0.text) }
    }
}
