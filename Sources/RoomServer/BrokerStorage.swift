import Logging
import RoomCore
import RoomDelivery
import RoomModel
import RoomStore

/// All that the broker keeps: history, channels, and up to when ids were made.
struct BrokerStorage: Sendable {
    let history: HistoryStore
    let channels: [ChannelSettings]
    let idFloor: any IDFloor

    init(_ configuration: ServerConfiguration, logger: Logger) throws {
        self.history = try HistoryStore(.memory, bootID: "", logger: logger, now: WallClock.milliseconds)
        self.channels = configuration.channels.map { $0.settings(over: nil) }
        self.idFloor = NoFloor()
    }

    func close() async {
        await self.history.close()
    }
}

/// Nothing outlives the process, so nothing has to be remembered.
struct NoFloor: IDFloor {
    var current: Int64 { 0 }
    func reserve(through milliseconds: Int64) {}
}
