import RoomCore
import RoomModel

/// Limits how much one member may publish, and do as a moderator. Time comes in as a parameter: nanoseconds of a
/// monotonic clock.
struct PublishAllowance {
    /// `nil`: the connection may publish as fast as it can.
    private var connection: TokenBucket?
    /// The channel's limit for one member; a resumed session goes on with it.
    private(set) var member: TokenBucket?
    /// The rest of the acts that it may do as a moderator; `nil`: it has done none.
    private var acts: TokenBucket?

    private static let actsPerSecond = 10
    /// A moderator in a raid has many to ban.
    private static let actsAtOnce = 30

    /// - Parameter rate: messages a second of one connection; `Int.max`: no limit.
    init(rate: Int, now: UInt64) {
        if rate < .max { self.connection = TokenBucket(perSecond: rate, now: now) }
    }

    /// Holds the member to the channel's rate for one member, which goes on where `earlier` was.
    mutating func limitMember(in channel: RoomChannel, from earlier: TokenBucket?, now: UInt64) {
        guard let rate = channel.settings.limits.memberPublishRate else {
            self.member = nil
            return
        }
        guard let earlier, earlier.perSecond == rate else {
            self.member = TokenBucket(perSecond: rate, now: now)
            return
        }
        self.member = earlier
    }

    /// Whether `refusal` has to be asked.
    func isLimited(in channel: RoomChannel) -> Bool {
        self.connection != nil || self.member != nil || channel.limitsPublishes
    }

    /// Why no message can be published just now; `nil` where one can: it is counted.
    mutating func refusal(in channel: RoomChannel, now: UInt64) -> RequestError? {
        if let error = Self.take(from: &self.connection, now) ?? Self.take(from: &self.member, now) { return error }
        return channel.rateRefusal(now: now)
    }

    private static func take(from bucket: inout TokenBucket?, _ now: UInt64) -> RequestError? {
        guard let wait = bucket?.take(now: now), let rate = bucket?.perSecond else { return nil }
        return RequestError(
            .rateLimited,
            "more than \(rate) messages a second; wait before the next one",
            retryAfterMilliseconds: wait
        )
    }

    /// Why the member cannot act as a moderator just now. Each act costs the control file a synced write, so it has a
    /// rate of its own beside that of what the connection publishes.
    mutating func refusalOfAct(now: UInt64) -> RequestError? {
        var bucket =
            self.acts ?? TokenBucket(perSecond: Self.actsPerSecond, burst: Self.actsAtOnce, now: now)
        defer { self.acts = bucket }
        return bucket.take(now: now).map { wait in
            RequestError(
                .rateLimited,
                "more than \(Self.actsPerSecond) moderation actions a second; wait before the next one",
                retryAfterMilliseconds: wait
            )
        }
    }
}
