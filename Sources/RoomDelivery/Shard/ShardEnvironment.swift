package import NIOCore
package import RoomCore
package import RoomModel

/// The environment that all shards of a broker share, and that a test replaces: storage, clock and limits.
package struct ShardEnvironment: Sendable {
    package var channels: ChannelTable
    /// The bans, mutes and rules that moderators have set, as of the start.
    package var moderation: [ChannelID: ChannelModeration]
    package var limits: BrokerLimits
    package var engine: any RoomEngine
    package var idFloor: any IDFloor
    package var failedLogins: FailedLogins
    /// Holds each of those who bring rooms to life to a rate; `nil`: there is none.
    let newRooms: NewRoomGate?
    package var directory = RoomDirectory()
    package var events: EventHub
    package var observer: (any ConnectionObserver)?
    package var recorder: (any RoomRecorder)?
    /// Plain-text clients turn out to be some a while after they were accepted, and hear then what was said in it; `nil`: there is
    /// no plain text.
    package var textRoom: RoomKey?
    /// This life of the broker among the nodes that serve the same rooms.
    package var node = NodeNumber.alone
    /// The choice of what orders the rooms.
    package var ordering: any RoomOrdering = LoopOrdering()
    /// How far ahead work is put off so that the loop looks at its sockets first: longer than it takes to get there.
    package var pauseForIO = TimeAmount.microseconds(10)
    /// How often the event loop that it is called on has looked at its sockets; `nil`: nobody counts that.
    package var loopTicks: (@Sendable () -> Int)?
    /// Unix milliseconds: ids, sanctions and what is deleted for its age go by it.
    package var clock: @Sendable () -> Int64
    /// Unix milliseconds as the machine has them, also where `clock` does not follow them: tokens go by it.
    package var machineClock: @Sendable () -> Int64

    package init(
        channels: ChannelTable,
        moderation: [ChannelID: ChannelModeration] = [:],
        limits: BrokerLimits,
        engine: any RoomEngine,
        idFloor: any IDFloor,
        failedLogins: FailedLogins = FailedLogins(),
        events: EventHub = EventHub(epoch: Epoch(rawValue: .random(in: 1 ... .max))),
        clock: @escaping @Sendable () -> Int64
    ) {
        self.channels = channels
        self.moderation = moderation
        self.limits = limits
        self.newRooms = limits.newRoomRate < .max ? NewRoomGate(limits) : nil
        self.engine = engine
        self.idFloor = idFloor
        self.failedLogins = failedLogins
        self.events = events
        self.clock = clock
        self.machineClock = clock
    }
}

extension NewRoomGate {
    /// A client that comes back may bring all of its rooms to life at once.
    fileprivate convenience init(_ limits: BrokerLimits) {
        let (burst, isHuge) = limits.newRoomRate.multipliedReportingOverflow(by: 10)
        self.init(perSecond: limits.newRoomRate, burst: isHuge ? .max : max(burst, limits.roomsPerConnection))
    }
}
