import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// Counts what one client sends that is not a frame and no line of text. Each costs an answer; a client that sends hardly
/// anything else is disconnected.
struct BadLines {
    private static let secondsAtOnce = 10

    private let perSecond: Int
    private let eventLoop: any EventLoop
    /// Made with the first one; `nil` for good where there is no limit.
    private var bucket: TokenBucket?
    /// The connection was ended: nothing more of it is to be read.
    private(set) var hasEnded = false

    /// - Parameter perSecond: how many a second, after ten times as many at once; `Int.max`: no limit.
    init(perSecond: Int, eventLoop: any EventLoop) {
        self.perSecond = perSecond
        self.eventLoop = eventLoop
    }

    /// Counts one, and ends the connection if it was one too many.
    ///
    /// - Parameter text: what was wrong with it.
    /// - Returns: whether it is to be answered.
    mutating func allowsOneMore(_ text: String, on connection: Connection) -> Bool {
        guard self.perSecond < .max else { return true }
        let now = self.eventLoop.now.uptimeNanoseconds
        let burst = min(self.perSecond, 1_000_000_000 / Self.secondsAtOnce) * Self.secondsAtOnce
        var bucket = self.bucket ?? TokenBucket(perSecond: self.perSecond, burst: burst, now: now)
        defer { self.bucket = bucket }
        guard let wait = bucket.take(now: now) else { return true }
        self.hasEnded = true
        connection.goodbye(
            .rateLimited,
            reason: "more than \(self.perSecond) lines a second that cannot be read; the last error: \(text)",
            retryAfterMilliseconds: max(wait, Self.retryTime)
        )
        return false
    }

    private static let retryTime = 1_000
}
