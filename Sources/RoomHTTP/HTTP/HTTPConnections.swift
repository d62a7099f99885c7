import NIOConcurrencyHelpers
import NIOCore

/// The open connections of the HTTP side, so that they can be told to end and waited for.
final class HTTPConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    func add(_ channel: any Channel) {
        self.state.withLockedValue { $0.channels[ObjectIdentifier(channel)] = channel }
    }

    func remove(_ channel: any Channel) {
        let waiters = self.state.withLockedValue { state in
            state.channels.removeValue(forKey: ObjectIdentifier(channel))
            guard state.channels.isEmpty else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Those without a request are closed at once, the others after their answer.
    func quiesce() {
        for channel in self.all { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    func closeAll() {
        for channel in self.all { channel.close(promise: nil) }
    }

    /// Returns once there is no connection.
    func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = self.state.withLockedValue { state in
                if !state.channels.isEmpty { state.waiters.append(continuation) }
                return state.channels.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    private var all: [any Channel] { self.state.withLockedValue { Array($0.channels.values) } }
}
