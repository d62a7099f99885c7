import NIOCore
package import RoomCluster
package import RoomCore
import RoomModel

extension Partition.Batch {
    /// Those that have a place in the log, encoded as briefly as a test needs.
    package var logEntries: [LogEntry] {
        self.batch.entries.filter { $0.seq > 0 }.map { entry in
            var tail = ByteBuffer(string: "\"id\":\"\(entry.stamp.id)\",\"message\":")
            switch entry.content {
            case .message(let message): tail.writeImmutableBuffer(message)
            default: tail.writeString("null")
            }
            tail.writeString("}")
            return entry.logEntry(tail)
        }
    }
}

extension Partition.Applied {
    /// What it changes in the history.
    package var changes: [RoomChange] { self.changes(\.logEntries) }
}
