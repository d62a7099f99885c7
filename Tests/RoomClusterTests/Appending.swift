import NIOCore
import RoomCore

#if Cluster
@testable import RoomCluster
#endif

extension PartitionLog {
    /// Appends until it has come, so it may be there several times: where the connection of a stream's log ends, what is appended
    /// meanwhile is lost.
    func append(_ text: String, until received: Received) async {
        let sender = Task {
            repeat {
                self.append(ByteBuffer(string: text))
            } while await self.mayHaveLost() && !Task.isCancelled
        }
        await received.wait { $0.last?.text == text }
        sender.cancel()
    }
}

extension PartitionLog {
    /// Whether what was appended may be lost; asks the stream, so that it has had the time to take it.
    private func mayHaveLost() async -> Bool {
        #if Cluster
        guard let log = self as? StreamLog else { return false }
        // that is never its last place, so nothing is stored
        _ = try? await log.append(ByteBuffer(), expecting: 1 << 40)
        return true
        #else
        return false
        #endif
    }
}

#if Cluster
extension StreamLog {
    /// Stores each record once, in this order.
    ///
    /// - Parameters:
    ///   - texts: unlike all that the stream has.
    ///   - last: a place that the stream has.
    func store(_ texts: [String], behind last: UInt64 = 0) async throws {
        var last = last
        for text in texts {
            // where another record was first, this one comes behind it
            while try await self.append(ByteBuffer(string: text), expecting: last) == nil { last += 1 }
            last += 1
        }
    }
}
#endif
