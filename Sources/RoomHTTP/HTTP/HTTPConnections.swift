import NIOConcurrencyHelpers
import NIOCore
import RoomCore

/// The open connections of one HTTP listener, so that they can be told to end and waited for.
final class HTTPConnections: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])
    private let open = OpenCount()
    /// Requests that are being answered, also of those who have gone.
    let requests = OpenCount()

    func add(_ channel: any Channel) {
        self.channels.withLockedValue { $0[ObjectIdentifier(channel)] = channel }
        self.open.opened()
    }

    /// It has gone, or speaks another protocol: then it leaves twice.
    func remove(_ channel: any Channel) {
        let wasThere = self.channels.withLockedValue { $0.removeValue(forKey: ObjectIdentifier(channel)) != nil }
        if wasThere { self.open.closed() }
    }

    /// Those without a request are closed at once, the others after their answer.
    func quiesce() {
        for channel in self.all { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    func closeAll() {
        for channel in self.all { channel.close(promise: nil) }
    }

    /// Returns once there is no connection.
    func untilEmpty() async { await self.open.untilNone() }

    private var all: [any Channel] { self.channels.withLockedValue { Array($0.values) } }
}
