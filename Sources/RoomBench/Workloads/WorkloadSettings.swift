/// How a workload is measured. A setting that the workload does not have is `nil`.
package struct WorkloadSettings: Codable, Equatable, Sendable {
    /// Subscribed connections; in `churn`, how many come and go at a time.
    package var members: Int?
    package var rooms: Int?
    /// Connections that publish and are in no room.
    package var publishers: Int?
    /// Bytes of a message, which is a text.
    package var size: Int?
    /// Messages that are sent at once.
    package var burst: Int?
    /// Messages a second, in all rooms.
    package var rate: Int?
    /// How long a round takes.
    package var seconds: Double
    package var rounds: Int

    package init(
        members: Int? = nil,
        rooms: Int? = nil,
        publishers: Int? = nil,
        size: Int? = nil,
        burst: Int? = nil,
        rate: Int? = nil,
        seconds: Double = 3,
        rounds: Int = 3
    ) {
        self.members = members
        self.rooms = rooms
        self.publishers = publishers
        self.size = size
        self.burst = burst
        self.rate = rate
        self.seconds = seconds
        self.rounds = rounds
    }

    /// By the names of the options, in a fixed order.
    var named: [(name: String, value: String)] {
        let counts = [
            ("members", self.members), ("rooms", self.rooms), ("publishers", self.publishers), ("size", self.size),
            ("burst", self.burst), ("rate", self.rate), ("rounds", self.rounds),
        ]
        return counts.map { ($0, $1.map { "\($0)" } ?? "none") } + [("duration", "\(self.seconds)s")]
    }

    /// Those of the options that are given and that none of the workloads has.
    package func unused(by workloads: [Workload]) -> [String] {
        let standards = workloads.map(\.standard)
        func isUnused(_ value: KeyPath<WorkloadSettings, Int?>) -> Bool {
            self[keyPath: value] != nil && standards.allSatisfy { $0[keyPath: value] == nil }
        }
        return [
            ("members", \WorkloadSettings.members), ("rooms", \.rooms), ("publishers", \.publishers), ("size", \.size),
            ("burst", \.burst), ("rate", \.rate),
        ].filter { isUnused($1) }.map(\.0)
    }
}

/// A workload, and how it is to be measured.
package struct WorkloadPlan: Equatable, Sendable {
    package let workload: Workload
    package let settings: WorkloadSettings

    init(_ workload: Workload, _ settings: WorkloadSettings) {
        self.workload = workload
        self.settings = settings
    }

    /// Why nothing can be measured like that.
    package struct Fault: Error, Equatable {
        package let text: String
    }

    /// The standard settings of a workload, with some changed.
    ///
    /// - Parameter changes: what is `nil` stays as it is, and so does what the workload does not have. Rooms and publishers
    ///   that are not among them follow: no room without a member, and a publisher for each room.
    package init(_ workload: Workload, changing changes: WorkloadSettings) throws(Fault) {
        var settings = workload.standard
        settings.seconds = changes.seconds
        settings.rounds = workload == .idle ? 1 : changes.rounds
        if settings.members != nil, let members = changes.members {
            settings.members = members
            if workload != .churn { settings.rooms = settings.rooms.map { min($0, members) } }
        }
        if settings.publishers != nil, let publishers = changes.publishers {
            settings.publishers = publishers
            settings.rooms = settings.rooms.map { min($0, publishers) }
        }
        if let rooms = changes.rooms { settings.rooms = rooms }
        if settings.publishers != nil { settings.publishers = changes.publishers ?? settings.rooms }
        if settings.size != nil { settings.size = changes.size ?? settings.size }
        if settings.burst != nil { settings.burst = changes.burst ?? settings.burst }
        if settings.rate != nil { settings.rate = changes.rate ?? settings.rate }
        self.init(workload, settings)
        try self.check()
    }

    /// The most bytes that the generator keeps ready to be sent, beside the frames around the messages.
    private static let mostReady = 256 << 20

    private func check() throws(Fault) {
        let rooms = self.settings.rooms ?? 0
        let (burst, size) = (self.settings.burst ?? 0, self.settings.size ?? 0)
        if burst * size > Self.mostReady / max(1, rooms) {
            throw Fault(
                text:
                    "\(self.workload): bursts of \(burst) messages of \(size) bytes in \(rooms) rooms are more than the generator keeps ready (256 MiB); give a smaller --burst or --size, or fewer --rooms."
            )
        }
        if let members = self.settings.members, members < rooms, self.workload != .churn {
            throw Fault(text: "\(self.workload): \(members) members cannot be in \(rooms) rooms; give fewer --rooms.")
        }
        if let publishers = self.settings.publishers, publishers < rooms {
            throw Fault(
                text:
                    "\(self.workload): each of the \(rooms) rooms needs a publisher; give --publishers \(rooms) or more."
            )
        }
    }
}
