#if Cluster
import NIOConcurrencyHelpers
import NIOCore
import RoomCluster

/// What a log has sent, in its order; tests wait for it.
final class Received: Sendable {
    struct Record: Equatable, Sendable {
        var place: UInt64
        var nanoseconds: Int64
        var text: String
    }

    private let records = NIOLockedValueBox<[Record]>([])
    private let changes = AsyncStream<Void>.makeStream()

    func receive(_ event: StreamLog.Event) {
        guard case .record(let place, let nanoseconds, let bytes) = event else { return }
        let record = Record(place: place, nanoseconds: nanoseconds, text: String(buffer: bytes))
        self.records.withLockedValue { $0.append(record) }
        self.changes.continuation.yield()
    }

    var all: [Record] { self.records.withLockedValue { $0 } }
    var texts: [String] { self.all.map(\.text) }

    /// Waits until the condition holds for what has come; one waits at a time.
    func wait(until condition: ([Record]) -> Bool) async {
        if condition(self.all) { return }
        for await _ in self.changes.stream where condition(self.all) { return }
    }
}
#endif
