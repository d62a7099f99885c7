public import NIOCore

extension RoomClient {
    /// Timeouts, limits and TLS. The defaults suit an app on a phone as well as a server.
    public struct Configuration: Sendable {
        /// The behaviour of `publish` when the outbox is full.
        public enum WhenFull: Sendable {
            /// The call waits until the outbox has room.
            case wait
            /// The call throws ``RoomClientError/Code/outboxFull``.
            case fail
        }

        /// The limits for publishes that wait for their acknowledgement.
        public struct Outbox: Sendable {
            /// The maximum number of messages.
            public var count: Int
            /// The maximum total size of their frames, in bytes.
            public var bytes: Int
            /// The behaviour of `publish` when a limit is reached.
            public var whenFull: WhenFull

            /// Creates limits; the defaults are 10,000 messages and 8 MiB.
            public init(count: Int = 10_000, bytes: Int = 8 * 1024 * 1024, whenFull: WhenFull = .wait) {
                self.count = count
                self.bytes = bytes
                self.whenFull = whenFull
            }
        }

        /// The limits of the buffer that each of a room's two feeds has for a reader that is slower than the room. The client
        /// drops events that do not fit, and later fetches them from the history or reports a ``RoomEvent/gap(_:)``.
        public struct FeedBuffer: Sendable {
            /// The maximum number of events.
            public var count: Int
            /// The maximum total size of the events, in bytes.
            public var bytes: Int

            /// Creates limits; the defaults are 16,384 events and 4 MiB.
            public init(count: Int = 16_384, bytes: Int = 4 * 1024 * 1024) {
                self.count = count
                self.bytes = bytes
            }
        }

        /// The URLs of the other nodes, if the broker is a cluster. Each attempt to connect goes to the next URL, the first one to that of
        /// the client, so that a client whose node has died continues on another one, with its session. They need the scheme of
        /// the client's URL. Without a load balancer, give each client another order.
        public var otherURLs: [String] = []
        /// The pauses between attempts to connect, and between attempts to publish or join after a temporary refusal.
        public var backoff = Backoff()
        /// The time without any data from the broker after which the client sends a `ping`. If the same time passes again
        /// without data, the client closes the connection and reconnects. The broker does the same for its side. The value is
        /// limited to one second to one hour.
        public var heartbeat: Duration = .seconds(5) {
            didSet { self.heartbeat = min(max(self.heartbeat, .seconds(1)), .seconds(3_600)) }
        }
        /// The maximum time for opening a connection, the handshake and the authentication together.
        public var connectTimeout: Duration = .seconds(10)
        /// The maximum time that a request such as a join or a history query waits for its answer while there is a connection.
        /// Then it throws ``RoomClientError/Code/timedOut``.
        public var requestTimeout: Duration = .seconds(30)
        /// The time after which a publish throws ``RoomClientError/Code/timedOut``. It is limited to nine minutes, because the
        /// broker recognizes repeats for ten minutes.
        public var publishTimeout: Duration = .seconds(120) {
            didSet { self.publishTimeout = min(self.publishTimeout, .seconds(540)) }
        }
        /// The longest line that the broker accepts, in bytes (its option `--max-line`). The client does not send a longer request:
        /// the call throws ``RoomClientError/Code/messageTooLarge``. A message alone may have half of that size unless the
        /// broker is configured otherwise.
        public var longestLine = 128 * 1024
        /// The limits of the outbox.
        public var outbox = Outbox()
        /// The limits of each feed.
        public var feedBuffer = FeedBuffer()
        /// The path of a PEM file with the certificates that the client trusts, for `tls://` and `wss://`. `nil`: the client
        /// trusts the certificates that the system trusts.
        public var trustedCertificates: String?
        /// Whether the client asks for a session that survives a lost connection. Without it the other members see a leave and
        /// a join, and a client that is killed is gone at once and not after the grace period.
        package var isResumable = true
        /// The event loop group that the client runs on; the client uses one of its event loops. `nil`: SwiftNIO's shared group,
        /// on Apple systems that of Network.framework. With a group of sockets, the client uses sockets there too.
        public var eventLoopGroup: (any EventLoopGroup)?

        /// Creates a configuration with the default values.
        public init() {}
    }
}
