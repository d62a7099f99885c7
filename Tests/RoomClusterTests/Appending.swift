import NIOCore
import RoomCore

#if Cluster
@testable import RoomCluster
#endif

extension PartitionLog {
    /// Appends as a sender does, anew until it has come, so it may be there several times: on a busy machine the connection may end, and
    /// what is appended meanwhile is lost.
    func append(_ text: String, until received: Received) async {
        let sender = Task {
            while !Task.isCancelled {
                self.append(ByteBuffer(string: text))
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        await received.wait { $0.last?.text == text }
        sender.cancel()
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
