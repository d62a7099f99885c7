import RoomCore
import RoomModel

/// The requests to rooms that came without a connection and are not answered yet. Confined to its shard.
///
/// Each has a `ConnectionRef` with a number that no connection has, so a room answers it as it answers a connection.
struct ExternalRequests {
    typealias Completion = (RoomAnswer.Content) -> Void

    private struct Waiting {
        let channel: ChannelID
        let complete: Completion
    }

    private var waiting: [UInt64: Waiting] = [:]
    private var count: UInt64 = 0

    private static let mark: UInt64 = 1 << 63

    static func isExternal(_ connection: ConnectionRef) -> Bool { connection.number & Self.mark != 0 }

    /// Adds a request.
    ///
    /// - Returns: the number that its answer will have.
    mutating func add(_ channel: ChannelID, complete: @escaping Completion) -> UInt64 {
        self.count += 1
        let number = self.count | Self.mark
        self.waiting[number] = Waiting(channel: channel, complete: complete)
        return number
    }

    /// Removes a request and returns its completion. The caller runs it, because it may add the next request.
    mutating func take(_ number: UInt64) -> Completion? {
        self.waiting.removeValue(forKey: number)?.complete
    }

    /// Removes the requests to rooms of this channel.
    mutating func takeAll(of channel: ChannelID) -> [(number: UInt64, complete: Completion)] {
        let numbers = self.waiting.filter { $0.value.channel == channel }.keys.sorted()
        return numbers.compactMap { number in self.take(number).map { (number, $0) } }
    }
}
