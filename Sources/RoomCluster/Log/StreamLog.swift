#if Cluster
import NIOConcurrencyHelpers
import NIOCore
import RoomCore

/// One stream of the cluster as the log of a partition.
///
/// What is told comes on the event loop; calls come from any thread. It is `connected` once the stream's leader or the
/// node's consumer was heard on the present connection, and `disconnected` when the connection ends or the consumer is
/// silent. While servers elect a leader, records come although appends are lost.
final class StreamLog: PartitionLog {
    let requests: StreamRequests
    let connection: NATSConnection
    private let search: ServerSearch
    private let loop: any EventLoop
    private let isClosed = NIOLockedValueBox(false)
    /// Who follows appends nothing before it is known that the stream goes on where the node has ended.
    private let mayAppend = NIOLockedValueBox(true)
    private let following: NIOLoopBoundBox<Following?>

    private struct Following {
        let stream: StreamFollowing
        let timer: RepeatedTask
    }

    init(_ requests: StreamRequests, _ connection: NATSConnection, _ search: ServerSearch, on loop: any EventLoop) {
        self.requests = requests
        self.connection = connection
        self.search = search
        self.loop = loop
        self.following = .makeEmptyBox(eventLoop: loop)
    }

    // MARK: Appending

    func append(_ record: ByteBuffer) {
        guard self.mayAppend.withLockedValue(\.self) else { return }
        self.connection.publish(record, to: self.requests.name.subject) { !self.isClosed.withLockedValue { $0 } }
    }

    // MARK: Following

    func follow(
        from first: LogOffset,
        reaching end: KnownRecord?,
        _ tell: @escaping @Sendable (PartitionLogEvent) -> Void
    ) {
        if first > .first || end != nil { self.mayAppend.withLockedValue { $0 = false } }
        self.loop.execute {
            guard self.following.value == nil, !self.isClosed.withLockedValue({ $0 }) else { return }
            let stream = StreamFollowing(
                self.requests,
                behind: first.rawValue - 1,
                reaching: end,
                self.connection,
                post: { [weak self] call in self?.post(call) },
                mayAppend: { [mayAppend = self.mayAppend] may in mayAppend.withLockedValue { $0 = may } },
                { event in if !self.isClosed.withLockedValue({ $0 }) { tell(event) } }
            )
            let pause = TimeAmount.milliseconds(25)
            let timer = self.loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
                self.following.value?.stream.tick()
            }
            self.following.value = Following(stream: stream, timer: timer)
        }
    }

    func doubt() {
        self.search.doubt()
        self.post { $0.doubt() }
    }

    /// It was closed.
    var isOver: Bool { self.isClosed.withLockedValue(\.self) }

    func close() {
        self.isClosed.withLockedValue { $0 = true }
        self.loop.execute {
            guard let following = self.following.value else { return }
            self.following.value = nil
            following.timer.cancel()
            following.stream.end()
        }
    }

    func connectionChanged(_ event: NATSConnection.Event) { self.post { $0.connectionChanged(event) } }

    private func post(_ call: @escaping @Sendable (StreamFollowing) -> Void) {
        self.loop.execute {
            if let following = self.following.value { call(following.stream) }
        }
    }
}
#endif
