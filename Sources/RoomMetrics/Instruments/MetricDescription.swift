/// The facts about a metric that are known beforehand.
package struct MetricDescription: Equatable, Sendable {
    /// As its instruments are made with it.
    package let label: String
    /// One sentence.
    package let help: String
    /// The upper bounds of its buckets, ascending, for an aggregating recorder; `nil`: bounds for any use.
    package let bounds: [Double]?

    init(_ label: String, _ help: String, bounds: [Double]? = nil) {
        self.label = label
        self.help = help
        self.bounds = bounds
    }
}

extension MetricDescription {
    /// The broker's own metrics; `docs/metrics.md` tells of each.
    package static let broker: [MetricDescription] =
        Self.connections + Self.messages + Self.trouble + Self.storage + Self.http + Self.process

    private static let connections = [
        MetricDescription("roomline.connections", "Open connections, by wire format."),
        MetricDescription("roomline.connections.opened", "Connections accepted since the start."),
        MetricDescription("roomline.connections.closed", "Connections closed since the start, by the reason."),
        MetricDescription("roomline.rooms", "Rooms with members."),
        MetricDescription("roomline.members", "Members of rooms; a member of two rooms counts twice."),
        MetricDescription(
            "roomline.subscribers",
            "Subscribed connections, one for each room, by where they get their messages from."
        ),
        MetricDescription("roomline.channel.connections", "Open connections of a channel."),
        MetricDescription("roomline.channel.rooms", "Rooms with members of a channel."),
        MetricDescription("roomline.channel.publishes", "Messages that a channel's rooms accepted."),
    ]

    private static let messages = [
        MetricDescription("roomline.publishes", "Messages that rooms accepted."),
        MetricDescription("roomline.published.bytes", "Bytes of the values of these messages."),
        MetricDescription("roomline.deliveries", "Copies of messages and presence events that were written."),
        MetricDescription("roomline.delivered.bytes", "Bytes of these copies, as whole frames."),
        MetricDescription("roomline.acknowledgements", "Publishes that were acknowledged."),
        MetricDescription("roomline.window.bytes", "Memory used by the newest messages of all rooms."),
        MetricDescription(
            "roomline.shared.memory.bytes",
            "Memory that rooms share: held for members, or kept for as long as there is space."
        ),
        MetricDescription("roomline.shared.memory.limit.bytes", "The most that rooms may take of it: --memory-total."),
    ]

    private static let trouble = [
        MetricDescription("roomline.gaps", "Gaps sent to subscribers, by reason."),
        MetricDescription("roomline.goodbyes", "Connections that the broker ended, by the goodbye's code."),
        MetricDescription("roomline.errors", "Requests that were refused, by the error's code."),
        MetricDescription("roomline.moderation.acts", "Actions of moderators, by their name in the audit log."),
    ]

    private static let storage = [
        MetricDescription("roomline.store.reads", "Pages of the history that were read for subscribers."),
        MetricDescription("roomline.commit.duration", "How long a transaction of the history took, with its sync."),
        MetricDescription(
            "roomline.commit.messages",
            "Messages in one transaction.",
            bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
        ),
        MetricDescription("roomline.committed.bytes", "Bytes that were committed to the history."),
        MetricDescription("roomline.history.file.bytes", "Size of the history file with its write-ahead log."),
        MetricDescription("roomline.disk.free.bytes", "Free space on the disk of the data directory."),
        MetricDescription("roomline.disk.size.bytes", "Size of that disk."),
        MetricDescription("roomline.cluster.nodes", "Nodes of the cluster that this one hears, itself among them."),
        MetricDescription("roomline.cluster.partitions", "Partitions of the cluster on this node, by state."),
    ]

    private static let http = [
        MetricDescription("roomline.http.requests", "HTTP requests answered, by route, method and status."),
        MetricDescription("roomline.http.request.duration", "How long an HTTP request took, by route."),
    ]

    private static let process = [
        MetricDescription("roomline.build.info", "Always 1; the labels tell what runs."),
        MetricDescription(
            "roomline.tls.certificate.expiry.timestamp.seconds",
            "When the certificate that new connections get expires, in Unix seconds."
        ),
        MetricDescription("roomline.uptime.seconds", "How long the broker has been running."),
        MetricDescription("roomline.event.loops", "Event loops that connections are spread over."),
        MetricDescription(
            "roomline.loop.latency",
            "How long an event loop takes to get to new work; asked ten times a second."
        ),
        MetricDescription(
            "roomline.loop.latency.max.seconds",
            "The longest time in the last ten seconds that an event loop took to get to new work."
        ),
        MetricDescription(
            "roomline.held.back.connections",
            "Connections that waited 0.1 seconds or longer for a turn, in the last second, by event loop."
        ),
        MetricDescription(
            "roomline.busiest.connection.percent",
            "How much of an event loop the busiest connection has used that had to wait for a turn, by event loop."
        ),
        MetricDescription(
            "roomline.busiest.address.percent",
            "How much of an event loop the connections of the busiest address have used, by event loop."
        ),
        MetricDescription(
            "roomline.busiest.room.percent",
            "How much of an event loop the busiest room has used, by event loop."
        ),
        MetricDescription("process.resident.memory.bytes", "Resident memory."),
        MetricDescription("process.cpu.seconds.total", "Processor time, of user and system."),
        MetricDescription("process.open.fds", "Open file descriptors."),
        MetricDescription("process.max.fds", "How many there may be."),
        MetricDescription("process.start.time.seconds", "When the process began, in Unix seconds."),
    ]
}
