public import NIOCore

extension RoomClient {
    /// What can be tuned. The defaults suit an app on a phone as well as one in a data centre.
    public struct Configuration: Sendable {
        /// What happens to a publish for which the outbox has no room.
        public enum WhenFull: Sendable {
            /// The call waits.
            case wait
            /// The call throws ``RoomClientError/Code/outboxFull``.
            case fail
        }

        /// How many publishes may wait for their acknowledgement.
        public struct Outbox: Sendable {
            /// How many messages.
            public var count: Int
            /// How many bytes of frames.
            public var bytes: Int
            /// What happens beyond that.
            public var whenFull: WhenFull

            /// An outbox of so many messages and bytes.
            public init(count: Int = 10_000, bytes: Int = 8 * 1024 * 1024, whenFull: WhenFull = .wait) {
                self.count = count
                self.bytes = bytes
                self.whenFull = whenFull
            }
        }

        /// How much each of a room's two feeds keeps for a consumer that is slower than the room. What does not fit is
        /// fetched from the history later, or told as a ``RoomEvent/gap(_:)``.
        public struct FeedBuffer: Sendable {
            /// How many events.
            public var count: Int
            /// How many bytes of messages.
            public var bytes: Int

            /// A buffer of so many events and bytes.
            public init(count: Int = 16_384, bytes: Int = 4 * 1024 * 1024) {
                self.count = count
                self.bytes = bytes
            }
        }

        /// The pauses between attempts to connect.
        public var backoff = Backoff()
        /// After so much silence the client asks for a sign of life, and after as much again it takes the network for dead
        /// and connects anew. The broker does the same from its side. From one second to one hour.
        public var heartbeat: Duration = .seconds(5) {
            didSet { self.heartbeat = min(max(self.heartbeat, .seconds(1)), .seconds(3_600)) }
        }
        /// How long opening a connection, shaking hands and authenticating may take together.
        public var connectTimeout: Duration = .seconds(10)
        /// How long a question to the broker (history, joining a room…) may stay unanswered while there is a connection.
        public var requestTimeout: Duration = .seconds(30)
        /// How long a publish is tried before it ends in ``RoomClientError/Code/timedOut``. At most nine minutes, because
        /// the broker knows a repeat for ten.
        public var publishTimeout: Duration = .seconds(120) {
            didSet { self.publishTimeout = min(self.publishTimeout, .seconds(540)) }
        }
        /// The longest line that the broker takes, in bytes (its `--max-line`). What would be longer is not sent, but fails with
        /// ``RoomClientError/Code/messageTooLarge``: the broker could not say which request it was about. A message alone may
        /// have half of that, unless the broker is configured otherwise.
        public var longestLine = 128 * 1024
        /// What waits for its acknowledgement.
        public var outbox = Outbox()
        /// What waits for its reader.
        public var feedBuffer = FeedBuffer()
        /// A PEM file with the certificates that the broker's is checked against, for `tls://`; `nil`: those that the
        /// system trusts.
        public var trustedCertificates: String?
        /// Where the client's work is done; it uses one event loop of it. `nil`: the one that the process shares.
        public var eventLoopGroup: (any EventLoopGroup)?

        /// The defaults.
        public init() {}
    }
}
