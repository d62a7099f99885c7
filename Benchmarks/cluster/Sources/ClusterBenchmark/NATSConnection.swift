import CNats
import Glibc
import NIOCore

/// A connection to the NATS servers, and what one of its subscriptions is sent.
struct NATSConnection: Sendable {
    /// The library's connections may be used by all threads. It is valid as long as the process runs.
    private nonisolated(unsafe) let connection: OpaquePointer

    /// - Parameter servers: URLs; the first one is preferred.
    init(servers: [String], name: String) throws(NATSFailure) {
        var options: OpaquePointer?
        try Self.check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        try servers.withCStrings { (urls: [UnsafePointer<CChar>?]) throws(NATSFailure) in
            var urls = urls
            try Self.check(natsOptions_SetServers(options, &urls, Int32(urls.count)))
        }
        try Self.check(natsOptions_SetName(options, name))
        try Self.check(natsOptions_SetNoRandomize(options, true))
        try Self.check(natsOptions_SetIgnoreDiscoveredServers(options, true))
        // a record is a turn's work already: the library's own gathering adds a millisecond to each
        try Self.check(natsOptions_SetSendAsap(options, true))
        // all deliveries come on one thread, in the order in which they came to the connection
        try Self.check(natsOptions_UseGlobalMessageDelivery(options, true))
        // a server that is paused keeps its sockets open: after two of these without an answer another one is asked
        try Self.check(natsOptions_SetPingInterval(options, 500))
        try Self.check(natsOptions_SetMaxPingsOut(options, 2))
        try Self.check(natsOptions_SetMaxReconnect(options, -1))
        try Self.check(natsOptions_SetReconnectWait(options, 50))
        try Self.check(natsOptions_SetReconnectJitter(options, 10, 10))
        var connection: OpaquePointer?
        try Self.check(natsConnection_Connect(&connection, options))
        guard let connection else { throw NATSFailure(text: "no connection") }
        self.connection = connection
    }

    /// Has the messages of a subject handled on a thread of the library's.
    func subscribe(_ subject: String, to receiver: some NATSReceiver) throws(NATSFailure) -> NATSSubscription {
        var subscription: OpaquePointer?
        try Self.check(
            natsConnection_Subscribe(
                &subscription,
                self.connection,
                subject,
                { _, _, message, closure in
                    guard let message, let closure else { return }
                    Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue().receive(NATSMessage(message))
                    natsMsg_Destroy(message)
                },
                // the process has few subscriptions, and each may be called until it ends
                Unmanaged.passRetained(Receiver { receiver.received($0) }).toOpaque()
            )
        )
        guard let subscription else { throw NATSFailure(text: "no subscription") }
        try Self.check(natsSubscription_SetPendingLimits(subscription, -1, -1))
        return NATSSubscription(subscription)
    }

    /// Whether the library has taken it: it may be lost all the same.
    @discardableResult
    func publish(_ bytes: ByteBuffer, to subject: String, reply: String? = nil) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            let count = Int32(bytes.count)
            let status =
                if let reply {
                    natsConnection_PublishRequest(self.connection, subject, reply, bytes.baseAddress, count)
                } else {
                    natsConnection_Publish(self.connection, subject, bytes.baseAddress, count)
                }
            return status == NATS_OK
        }
    }

    /// - Returns: `nil` where no answer came in time.
    func request(_ text: String, of subject: String, within milliseconds: Int64) -> String? {
        var reply: OpaquePointer?
        let status = natsConnection_RequestString(&reply, self.connection, subject, text, milliseconds)
        guard status == NATS_OK, let reply else { return nil }
        defer { natsMsg_Destroy(reply) }
        return String(buffer: NATSMessage(reply).bytes)
    }

    private static func check(_ status: natsStatus) throws(NATSFailure) {
        guard status != NATS_OK else { return }
        throw NATSFailure(text: String(cString: natsStatus_GetText(status)))
    }

    private final class Receiver {
        let receive: (borrowing NATSMessage) -> Void
        init(receive: @escaping (borrowing NATSMessage) -> Void) { self.receive = receive }
    }
}

struct NATSSubscription: Sendable {
    private nonisolated(unsafe) let subscription: OpaquePointer

    init(_ subscription: OpaquePointer) { self.subscription = subscription }

    func cancel() { natsSubscription_Destroy(self.subscription) }
}

struct NATSFailure: Error {
    let text: String
}

/// Is called on a thread of the library's.
protocol NATSReceiver: AnyObject, Sendable {
    func received(_ message: borrowing NATSMessage)
}

/// A message, valid while its receiver is called.
struct NATSMessage: ~Copyable {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) { self.message = message }

    var subject: String { String(cString: natsMsg_GetSubject(self.message)) }
    var reply: String? { natsMsg_GetReply(self.message).map { String(cString: $0) } }

    var count: Int { Int(natsMsg_GetDataLength(self.message)) }

    /// A copy.
    var bytes: ByteBuffer {
        ByteBuffer(bytes: UnsafeRawBufferPointer(start: natsMsg_GetData(self.message), count: self.count))
    }

    func header(_ key: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(self.message, key, &value) == NATS_OK else { return nil }
        return value.map { String(cString: $0) }
    }
}

extension Array where Element == String {
    /// Has the strings as C has them.
    fileprivate func withCStrings<Failure: Error>(
        _ body: ([UnsafePointer<CChar>?]) throws(Failure) -> Void
    ) throws(Failure) {
        let copies = self.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        try body(copies.map { UnsafePointer($0) })
    }
}
