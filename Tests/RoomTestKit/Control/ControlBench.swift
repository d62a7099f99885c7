import Logging
package import NIOConcurrencyHelpers
package import RoomControl
package import RoomCore
package import RoomDelivery
package import RoomMetrics
package import RoomModel

/// The control plane over fakes: a control file in memory, rooms that say what the test wants.
package struct ControlBench: Sendable {
    package static let now: Int64 = 1_700_000_000_123

    package let directory: FakeDirectory
    package let rooms = FakeRooms()
    package let moderated = FakeModeratedRooms()
    package let moderation: ModerationRegistry
    package let metrics = PrometheusRegistry(descriptions: MetricDescription.broker, logger: Self.silent)
    package let clock = NIOLockedValueBox(Self.now)
    package let engine: MemoryEngine
    package let registry: ChannelRegistry
    package let events = EventHub(epoch: Epoch(rawValue: 0xabc))

    package init(
        _ settings: [ChannelSettings] = [.make("talk", history: nil)],
        locks: [ChannelID: [ChannelLock]] = [:],
        tokens stored: [StoredAdminToken] = [],
        isShared: Bool = false
    ) throws {
        self.directory = FakeDirectory(isShared: isShared)
        try self.directory.ensure(settings)
        self.directory.state.withLockedValue { state in
            state.tokens = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        }
        let engine = MemoryEngine(clock: ManualClock())
        self.engine = engine
        let channels = try self.directory.channels().map { ($0, RoomChannel(settings: $0.settings)) }
        let clock = self.clock
        self.moderation = ModerationRegistry(
            channels: self.directory.state.withLockedValue(\.moderation),
            directory: self.directory,
            rooms: self.moderated,
            instruments: Self.instruments(self.metrics),
            events: self.events,
            clock: { clock.withLockedValue(\.self) },
            logger: Self.silent
        )
        self.registry = ChannelRegistry(
            channels: channels,
            directory: self.directory,
            rooms: self.rooms,
            moderation: self.moderation,
            engine: isShared ? nil : engine,
            locks: locks,
            makeChannel: { stored, previous in
                RoomChannel(
                    settings: stored.settings,
                    version: stored.version,
                    secrets: stored.secrets,
                    usage: previous?.usage ?? ChannelUsage()
                )
            },
            clock: { Self.now },
            logger: Self.silent
        )
    }

    package var audit: [AuditEntry] { self.directory.state.withLockedValue { $0.audit.map(\.entry) } }

    package static func instruments(_ metrics: PrometheusRegistry) -> ModerationInstruments {
        ModerationInstruments(actions: AuditAction.moderation, factory: metrics)
    }

    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
