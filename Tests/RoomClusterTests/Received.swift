import NIOConcurrencyHelpers
import NIOCore
import RoomCluster
import RoomCore

/// What a log has told, in its order; tests wait for it.
final class Received: Sendable {
    struct Record: Equatable, Sendable {
        var place: UInt64
        var time: Int64
        /// `nil`: it was erased.
        var text: String?
    }

    private let told = NIOLockedValueBox<[PartitionLogEvent]>([])
    private let changes = AsyncStream<Void>.makeStream()

    func receive(_ event: PartitionLogEvent) {
        self.told.withLockedValue { $0.append(event) }
        self.changes.continuation.yield()
    }

    var events: [PartitionLogEvent] { self.told.withLockedValue { $0 } }

    var all: [Record] {
        self.events.compactMap { event in
            guard case .record(let place, let time, let bytes) = event else { return nil }
            return Record(place: place.rawValue, time: time, text: bytes.map { String(buffer: $0) })
        }
    }

    var texts: [String?] { self.all.map(\.text) }

    /// Waits until the condition holds for the records that have come; one waits at a time.
    func wait(until condition: ([Record]) -> Bool) async { await self.waitForEvents { _ in condition(self.all) } }

    /// Waits until the condition holds for all that was told; one waits at a time.
    func waitForEvents(until condition: ([PartitionLogEvent]) -> Bool) async {
        if condition(self.events) { return }
        for await _ in self.changes.stream where condition(self.events) { return }
    }
}
