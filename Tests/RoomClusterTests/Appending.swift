import Foundation
import NIOCore
import RoomCore
import RoomJSON

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

    /// Appends only if the stream's last place is still the expected one.
    ///
    /// - Parameter record: unlike all others, so that it is known again when its acknowledgement was lost.
    /// - Returns: its place; `nil` where another record was first.
    fileprivate func append(_ record: ByteBuffer, expecting last: UInt64) async throws(ClusterFailure) -> UInt64? {
        let (name, api) = (self.requests.name, JetStreamAPI(connection: self.connection))
        let headers = [("Nats-Expected-Last-Sequence", String(last))]
        switch try await api.append(record, to: name.subject, headers: headers) {
        case .tree(let answer):
            guard case .number(let digits)? = answer["seq"], let place = UInt64(digits) else {
                throw ClusterFailure(.refused, "the acknowledgement of \(name.stream) has no place")
            }
            return place
        case .refusal(let refusal) where refusal.isForSequence:
            return try await api.holds(record, at: last + 1, of: name.stream) ? last + 1 : nil
        case .refusal(let refusal): throw ClusterFailure(.refused, "\(name.stream): \(refusal.text)")
        }
    }
}

extension JetStreamAPI {
    /// Whether a stream has these bytes at a place.
    fileprivate func holds(
        _ bytes: ByteBuffer,
        at place: UInt64,
        of stream: String
    ) async throws(ClusterFailure) -> Bool {
        let question = JSONTree.object([.init("seq", .integer(place))])
        guard case .tree(let answer) = try await self.ask("$JS.API.STREAM.MSG.GET.\(stream)", question) else {
            return false
        }
        return answer["message"]?["data"] == .string(Data(bytes.readableBytesView).base64EncodedString())
    }
}
#endif
