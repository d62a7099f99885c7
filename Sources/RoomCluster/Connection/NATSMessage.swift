#if Cluster
import CNats
import NIOCore

/// A message of the library's, valid while its receiver is called.
struct NATSMessage: ~Copyable {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) { self.message = message }

    var subject: String { String(cString: natsMsg_GetSubject(self.message)) }

    var reply: String? { natsMsg_GetReply(self.message).map { String(cString: $0) } }

    /// A copy.
    var bytes: ByteBuffer {
        let count = Int(natsMsg_GetDataLength(self.message))
        return ByteBuffer(bytes: UnsafeRawBufferPointer(start: natsMsg_GetData(self.message), count: count))
    }

    /// The number of the server's own messages, as 503 of one that says that nobody listens.
    var status: Int? { self.header("Status").flatMap { Int($0) } }

    func header(_ key: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(self.message, key, &value) == NATS_OK else { return nil }
        return value.map { String(cString: $0) }
    }

    func number(_ key: String) -> UInt64? { self.header(key).flatMap { UInt64($0) } }
}
#endif
