import NIOCore
import RoomCore
import RoomModel

/// Reads the rooms of a followed partition from the node's own history. That is behind the rooms, so a read waits until it has what
/// they had when the read was asked for.
///
/// No read answers `.reset`: what a file has lost the partition's log still has, and the file gets it again. So no room begins anew
/// for it.
final class PartitionReader: LogReader {
    private let partition: NIOLoopBound<FollowedPartition>
    private let eventLoop: any EventLoop
    private let history: any LogReader

    /// - Parameters:
    ///   - eventLoop: of the partition, on which this is called.
    ///   - history: the engine of the file into which the partition is stored.
    init(_ partition: FollowedPartition, on eventLoop: any EventLoop, history: any LogReader) {
        self.partition = NIOLoopBound(partition, eventLoop: eventLoop)
        self.eventLoop = eventLoop
        self.history = history
    }

    func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.whenStored(query.log, completion) { [history] log in
            var query = query
            query.log = log
            history.read(query) { completion($0.mapError { _ in .unavailable }) }
        }
    }

    func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    ) {
        self.whenStored(log, completion) { [history] log in
            history.find(id, in: log) { completion($0.mapError { _ in .unavailable }) }
        }
    }

    /// - Parameter read: gets the name of the log in the history's file.
    private func whenStored<Answer>(
        _ log: LogID,
        _ completion: @escaping @Sendable (Result<Answer, EngineError>) -> Void,
        read: @escaping @Sendable (LogID) -> Void
    ) {
        self.eventLoop.execute { [partition] in
            partition.value.whenStored { result in
                guard case .success = result, let stored = partition.value.nameInHistory(of: log) else {
                    return completion(.failure(.unavailable))
                }
                read(stored)
            }
        }
    }
}

extension FollowedPartition {
    /// - Parameter log: as the rooms name it (`PartitionRoom.log`).
    fileprivate func nameInHistory(of log: LogID) -> LogID? {
        guard let name = log.new else { return nil }
        return self.rooms?.projection.log(of: name.room, in: name.epoch)
    }
}
