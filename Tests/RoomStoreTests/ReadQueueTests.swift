import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Which read of the history begins when.
struct ReadQueueTests {
    private typealias End = @Sendable () -> Void

    private static let flood = ReadAsker.connection(ConnectionRef(shard: 0, number: 1))
    private static let ann = ReadAsker.connection(ConnectionRef(shard: 0, number: 2))

    private let queue = ReadQueue()
    /// The reads that have begun, in order, with what ends them.
    private let begun = NIOLockedValueBox<[(name: String, end: End)]>([])

    @discardableResult
    private func read(_ name: String, for asker: ReadQueue.Asker?) -> Bool {
        self.queue.read(for: asker) { ended in self.begun.withLockedValue { $0.append((name, ended)) } }
    }

    private var names: [String] { self.begun.withLockedValue { $0.map(\.name) } }

    private func end(_ index: Int) { self.begun.withLockedValue { $0[index].end }() }

    private func open(_ room: Int, for asker: ReadAsker) throws -> Bool {
        self.read("\(room)", for: ReadQueue.asker(opening: try .make("room \(room)"), for: asker))
    }

    @Test func `three begin, each that ends has the next one begin, and a long one waits for all`() {
        for number in 0..<3 { self.read("flood \(number)", for: .reader(Self.flood)) }
        self.read("long", for: nil)
        self.read("admin 0", for: .reader(.administrator("uid:0")))
        self.read("admin 1", for: .reader(.administrator("token:a")))
        self.read("ann", for: .reader(Self.ann))
        #expect(self.names == ["flood 0", "admin 0", "admin 1"])
        self.end(1)
        #expect(self.names.last == "ann")
        self.end(0)
        #expect(self.names.last == "flood 1")
        self.end(4)
        #expect(self.names.suffix(2) == ["flood 2", "long"])
    }

    @Test func `a read that ends at once has all that wait begin`() {
        let ended = NIOLockedValueBox(0)
        self.read("first", for: .reader(Self.ann))
        for _ in 0..<100 {
            _ = self.queue.read(for: .reader(Self.ann)) { end in
                ended.withLockedValue { $0 += 1 }
                end()
            }
        }
        #expect(ended.withLockedValue { $0 } == 0)
        self.end(0)
        #expect(ended.withLockedValue { $0 } == 100)
    }

    @Test func `a flood of rooms that are opened is refused, the rooms and reads of others are not`() throws {
        var taken = 0
        for room in 0..<30_000 where try self.open(room, for: Self.flood) { taken += 1 }
        #expect((ReadQueue.mostOpenings...ReadQueue.mostOpenings + 3).contains(taken))
        #expect(try self.open(1, for: Self.ann))
        #expect(self.read("page", for: .reader(Self.ann)))
        #expect(self.read("page", for: .reader(Self.flood)))
        self.end(0)
        #expect(self.names.count == 4)
        self.end(1)
        self.end(2)
        let next = Set(self.names.suffix(3))
        #expect(next.contains("1") && next.contains("page"))
        #expect(try (0..<100).count { try self.open($0, for: Self.ann) } == 16)
    }
}
