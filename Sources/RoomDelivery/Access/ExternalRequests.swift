import RoomCore
import RoomModel

/// What was asked of rooms without a connection, and who waits for the answers. Confined to its shard.
///
/// Each has a `ConnectionRef` like a connection's, with a number that no connection has; so a room answers it the same way.
struct ExternalRequests {
    typealias Completion = (RoomAnswer.Content) -> Void

    private struct Waiting {
        let channel: ChannelID
        let complete: Completion
    }

    private var waiting: [UInt64: Waiting] = [:]
    private var count: UInt64 = 0

    private static let mark: UInt64 = 1 << 63

    /// Takes a request down.
    ///
    /// - Returns: the number under which the answer comes.
    mutating func add(_ channel: ChannelID, complete: @escaping Completion) -> UInt64 {
        self.count += 1
        let number = self.count | Self.mark
        self.waiting[number] = Waiting(channel: channel, complete: complete)
        return number
    }

    /// Takes out who waits for an answer, which may lead to the next request: it is not given from here.
    mutating func take(_ number: UInt64) -> Completion? {
        self.waiting.removeValue(forKey: number)?.complete
    }

    /// Takes out all who wait for a room of this channel.
    mutating func takeAll(of channel: ChannelID) -> [(number: UInt64, complete: Completion)] {
        let numbers = self.waiting.filter { $0.value.channel == channel }.keys.sorted()
        return numbers.compactMap { number in self.take(number).map { (number, $0) } }
    }
}
