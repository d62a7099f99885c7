import NIOConcurrencyHelpers
package import NIOCore
package import RoomCore
package import RoomModel

/// A part of what somebody gets who follows a room without being in it.
package enum FollowedPart: Equatable, Sendable {
    /// Frames of the room as Server-Sent Events. Those of the log have their places in it as ids.
    case events(ByteBuffer)
    /// Messages that do not follow. The room goes on behind them, in the log with this epoch.
    case gap(Gap, Epoch)
}

/// A room as it goes on, for somebody who is not in it. For one reader.
///
/// An `AsyncStream` would leave the executor of its reader, and a test's event loop is of one thread.
package struct FollowedRoom: AsyncSequence, Sendable {
    package typealias Failure = Never

    private let take: @Sendable () async -> [FollowedPart]?

    /// - Parameter take: what is next; `nil` at the end.
    package init(_ take: @escaping @Sendable () async -> [FollowedPart]?) {
        self.take = take
    }

    package func makeAsyncIterator() -> Iterator { Iterator(take: self.take) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let take: @Sendable () async -> [FollowedPart]?

        package func next() async -> [FollowedPart]? { await self.take() }

        package func next(isolation actor: isolated (any Actor)?) async -> [FollowedPart]? { await self.take() }
    }
}

/// Reads the log of a room from a place on: first what the store has, then what the room's owner seals.
final class RoomFollower: Sendable {
    private let gateway: RoomGateway
    private let room: RoomKey
    private let caller: String
    private let watch: RoomWatch
    private let place: NIOLockedValueBox<FollowedPlace>

    init(_ gateway: RoomGateway, _ room: RoomKey, after position: Position?, for caller: String) {
        self.gateway = gateway
        self.room = room
        self.caller = caller
        self.place = NIOLockedValueBox(FollowedPlace(position: position))
        self.watch = RoomWatch(after: position)
    }

    /// Begins to follow: the chunks that the room seals from the return of this function on come to the reader.
    ///
    /// - Returns: false where the channel has been deleted.
    func begin() async -> Bool {
        let position = self.place.withLockedValue(\.position)
        let hasHistory = await self.gateway.ask(self.gateway.owner(of: self.room)) { [room, watch] shard in
            shard.owner.watch(room, watch, after: position)
        }
        if hasHistory == true, position != nil { self.place.withLockedValue { $0.readsStore = true } }
        return hasHistory != nil
    }

    /// The parts that are next; `nil` at the end, and where the store cannot be read.
    func next() async -> [FollowedPart]? {
        while true {
            let parts: [FollowedPart]
            let (position, readsStore) = self.place.withLockedValue { ($0.position, $0.readsStore) }
            if readsStore {
                guard let page = try? await self.page(after: position) else { return nil }
                parts = self.place.withLockedValue { $0.parts(of: page) }
            } else {
                guard let items = await self.watch.take() else { return nil }
                parts = self.place.withLockedValue { place in items.flatMap { place.parts(of: $0) } }
            }
            if !parts.isEmpty { return parts }
        }
    }

    private func page(after position: Position?) async throws(RequestError) -> HistoryFrames {
        let request = HistoryRequest(room: self.room.room, anchor: .after(position?.seq ?? 0))
        return try await self.gateway.history(of: self.room, request, for: self.caller)
    }
}

/// How far somebody has followed a room.
struct FollowedPlace {
    /// `nil`: all that comes is new.
    private(set) var position: Position?
    /// The next messages are in the store.
    var readsStore = false

    mutating func parts(of page: HistoryFrames) -> [FollowedPart] {
        if !page.hasMore { self.readsStore = false }
        guard page.epoch == self.position?.epoch else {
            self.readsStore = false
            return self.move(to: Position(epoch: page.epoch, seq: page.seq))
        }
        var parts: [FollowedPart] = []
        if let lost = page.lost {
            parts += self.move(to: Position(epoch: page.epoch, seq: lost.lowerBound - 1))
            parts += self.move(to: Position(epoch: page.epoch, seq: lost.upperBound), losing: .lost)
        }
        guard let first = page.firstSeq else {
            self.readsStore = false
            return parts + self.move(to: Position(epoch: page.epoch, seq: page.seq))
        }
        parts += self.move(to: Position(epoch: page.epoch, seq: first - 1))
        var events = ByteBuffer()
        for (seq, frame) in zip(first..., page.frames) {
            var line = frame
            line.writeStaticString("\n")
            line.withUnsafeReadableBytes { EventEncoder.write($0, page.epoch, seq: seq, into: &events) }
            self.position = Position(epoch: page.epoch, seq: seq)
        }
        return parts + [.events(events)]
    }

    mutating func parts(of item: RoomWatch.Item) -> [FollowedPart] {
        switch item {
        case .place(let place):
            // where the store has shown the reader more already
            if let position, position.epoch == place.epoch, position.seq >= place.seq { return [] }
            return self.move(to: place)
        case .chunk(let chunk):
            var parts: [FollowedPart] = []
            var first = 0
            if let position, position.epoch == chunk.epoch, position.seq > chunk.seqBefore {
                // what the store has given already
                guard let next = chunk.entries.firstIndex(where: { $0.seq > position.seq }) else { return [] }
                first = next
            } else {
                parts = self.move(to: Position(epoch: chunk.epoch, seq: chunk.seqBefore), losing: .slow)
            }
            self.position = Position(epoch: chunk.epoch, seq: chunk.lastSeq)
            return parts + [.events(chunk.events(from: first))]
        }
    }

    /// The room goes on behind this place: what is between is missing.
    private mutating func move(to place: Position, losing reason: Gap.Reason = .trimmed) -> [FollowedPart] {
        let before = self.position
        self.position = place
        guard let before, let epoch = place.epoch else { return [] }
        guard before.epoch == epoch, before.seq <= place.seq else {
            return [.gap(Gap(from: 1, through: place.seq, reason: .epoch), epoch)]
        }
        return before.seq < place.seq
            ? [.gap(Gap(from: before.seq + 1, through: place.seq, reason: reason), epoch)] : []
    }
}

extension Chunk {
    /// Its entries from one on as Server-Sent Events.
    fileprivate func events(from entry: Int) -> ByteBuffer {
        let chunk = self.has(.events) ? self : self.adding(.events)
        let bytes = chunk.bytes(.events)
        let start = chunk.range(ofEntry: entry, .events).lowerBound
        return bytes.getSlice(at: start, length: bytes.writerIndex - start) ?? ByteBuffer()
    }
}
