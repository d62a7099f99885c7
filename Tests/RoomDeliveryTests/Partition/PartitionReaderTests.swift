import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// Reads of a followed partition's rooms.
struct PartitionReaderTests {
    private let loop = EmbeddedEventLoop()
    private let log = MemoryPartition { ManualClock.start }
    private let file = TestFile()

    private func node() -> (PartitionFollower, PartitionReader) {
        let empty = ProjectedPartition(partition: 0, generation: 7, newest: nil, snapshot: nil)
        let node = PartitionFollower(1, of: self.log, on: self.loop, TestHistory(.success(empty)))
        node.start()
        return (node, PartitionReader(node.partition, on: self.loop, history: self.file))
    }

    /// The log of the only room, as the room names it.
    private func name(_ node: PartitionFollower) throws -> LogID {
        let batch = try #require(node.records.flatMap(\.batches).first)
        return LogID(rawValue: 0, generation: 0, new: NewLog(room: batch.room, epoch: batch.view.epoch))
    }

    private func read(_ log: LogID, by reader: PartitionReader) -> NIOLockedValueBox<[Result<LogPage, EngineError>]> {
        let results = NIOLockedValueBox<[Result<LogPage, EngineError>]>([])
        let query = LogQuery(
            log: log,
            retention: HistorySettings(count: 10, age: .seconds(60)),
            range: .before(2),
            maxCount: 1,
            maxBytes: 100,
            now: ManualClock.start,
            asker: .outside
        )
        reader.read(query) { result in results.withLockedValue { $0.append(result) } }
        self.loop.run()
        return results
    }

    @Test func `a read asks the file by its own name of the log, once the file has what the rooms have`() throws {
        let (node, reader) = self.node()
        node.history.setDisk(.isSlow)
        node.publish("1")
        let name = try self.name(node)
        #expect(node.partition.partition?[.make()]?.log == name)
        let read = self.read(name, by: reader)
        #expect(self.file.asked == [])
        node.history.setDisk(.works)
        self.loop.run()
        #expect(self.file.asked == [LogID(rawValue: 0, generation: 7, new: name.new)])
        #expect(read.withLockedValue { $0.map { (try? $0.get().oldestSeq) ?? 0 } } == [1])
        node.partition.close()
    }

    @Test func `a file that has lost the log ends no room`() throws {
        let (node, reader) = self.node()
        node.publish("1")
        let name = try self.name(node)
        node.pass(.milliseconds(600))
        self.file.failure.withLockedValue { $0 = .reset }
        #expect(self.failures(self.read(name, by: reader)) == [.unavailable])
        let found = NIOLockedValueBox<[Result<UInt64?, EngineError>]>([])
        reader.find(.make(2), in: name) { result in found.withLockedValue { $0.append(result) } }
        self.loop.run()
        #expect(self.failures(found) == [.unavailable])
        node.partition.close()
    }

    @Test func `nothing is read while the file is behind and cannot be written, and after the end`() throws {
        let (node, reader) = self.node()
        node.history.setDisk(.fails(.unavailable))
        node.publish("1")
        let name = try self.name(node)
        #expect(self.failures(self.read(name, by: reader)) == [.unavailable])
        node.partition.close()
        #expect(self.failures(self.read(name, by: reader)) == [.unavailable])
        #expect(self.file.asked == [])
    }

    @Test func `rooms and epochs have logs of their own`() throws {
        let (node, _) = self.node()
        node.publish("1")
        let other = RoomKey.make("other")
        _ = node.partition.add(.publish(.make("2", messageID: 1)), in: other)
        self.loop.run()
        let first = try #require(node.partition.partition?[.make()]?.log)
        let second = try #require(node.partition.partition?[other]?.log)
        #expect(first != second)
        let clear = ClearCommand(origin: Origin(connection: .make(), callback: 0), sender: .make("moderator"))
        _ = node.partition.add(.clear(clear), in: .make())
        self.loop.run()
        let cleared = try #require(node.partition.partition?[.make()]?.log)
        #expect(cleared != first)
        node.partition.close()
    }

    private func failures<Answer>(_ results: NIOLockedValueBox<[Result<Answer, EngineError>]>) -> [EngineError?] {
        results.withLockedValue { $0.map { if case .failure(let error) = $0 { error } else { nil } } }
    }
}

/// The engine of the node's file.
private final class TestFile: LogReader {
    let failure = NIOLockedValueBox<EngineError?>(nil)
    private let logs = NIOLockedValueBox<[LogID]>([])

    var asked: [LogID] { self.logs.withLockedValue(\.self) }

    func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.answer(query.log, LogPage(entries: [], hasMore: false, oldestSeq: 1), completion)
    }

    func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    ) {
        self.answer(log, 1, completion)
    }

    private func answer<Answer>(
        _ log: LogID,
        _ answer: Answer,
        _ completion: @Sendable (Result<Answer, EngineError>) -> Void
    ) {
        self.logs.withLockedValue { $0.append(log) }
        completion(self.failure.withLockedValue { $0.map { .failure($0) } ?? .success(answer) })
    }
}
