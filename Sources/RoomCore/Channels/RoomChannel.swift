package import RoomModel
import Synchronization

/// A channel that clients can connect to: its settings, its secrets, and what is counted of it on all event loops.
///
/// It never changes. New settings are a new `RoomChannel` that goes on with the counts of the old one; every shard is
/// handed it and uses it from then on, so nothing has to be locked where messages pass.
package final class RoomChannel: Sendable {
    package let settings: ChannelSettings
    /// `StoredChannel.version`: newer settings have a higher one.
    package let version: Int64
    package let tokens: TokenVerifier
    package let usage: ChannelUsage
    private let limits: FrameLimits
    private let historyRules: [(pattern: HistoryPattern, history: HistorySettings?)]
    private let publishes: RateGate?
    private let newRooms: RateGate?
    private let memberNewRooms: NewRoomGate?

    /// - Parameters:
    ///   - secrets: the current one first, then those that are taken for some time yet.
    ///   - skew: how many seconds the clocks of token makers may be off.
    ///   - limits: the broker's own, which no channel can raise.
    ///   - usage: that of the channel before the change.
    ///   - processorClock: by which the cost of a token's patterns is measured.
    package init(
        settings: ChannelSettings,
        version: Int64 = 0,
        secrets: [ChannelSecret] = [],
        skew: Int64 = 0,
        limits: FrameLimits = FrameLimits(),
        usage: ChannelUsage = ChannelUsage(),
        processorClock: ProcessorClock = .thread
    ) {
        self.settings = settings
        self.version = version
        self.tokens = TokenVerifier(
            channel: settings.id,
            secrets: secrets,
            skew: skew,
            processorClock: processorClock
        )
        self.usage = usage
        self.limits = limits
        let expressions = ExpressionCache()
        self.historyRules = settings.historyRules.map {
            (HistoryPattern($0.pattern, expressions: expressions), $0.history)
        }
        self.publishes = settings.limits.publishRate.map { RateGate(perSecond: $0) }
        self.newRooms = settings.limits.newRoomRate.map { RateGate(perSecond: $0) }
        self.memberNewRooms = settings.limits.memberNewRoomRate.map { NewRoomGate(perSecond: $0) }
    }

    package var id: ChannelID { self.settings.id }

    /// The history of a room: the first rule that matches its name decides, then the channel.
    package func history(of room: RoomName) -> HistorySettings? {
        guard let rule = self.historyRules.first(where: { $0.pattern.matches(room) }) else {
            return self.settings.history
        }
        return rule.history
    }

    func presence(of room: RoomName) -> RoomPresence { self.settings.presence.presence(of: room) }

    /// Whether stamps in this room show what a member's token says of it.
    func showsAuthData(in room: RoomName) -> Bool {
        switch self.settings.authDataStamps {
        case .always: true
        case .never: false
        case .observable: self.presence(of: room) == .shown
        }
    }

    /// The rights of a session that has shown this token, or none.
    func authorization(_ grant: TokenGrant?) -> Authorization.State {
        if let grant { return .granted(grant) }
        return self.settings.authentication == .required ? .awaited : .unrestricted
    }

    /// The rights that a token gives, if it is a valid one of this channel.
    ///
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - earlier: of the token that the same client has shown before.
    /// - Throws: `RequestError` with `token_invalid` or `token_expired`.
    package func grant(
        _ token: String,
        now: Int64,
        after earlier: TokenGrant? = nil
    ) throws(RequestError) -> TokenGrant {
        guard self.settings.authentication != .none else {
            throw RequestError(.tokenInvalid, "this channel accepts no tokens; connect without one")
        }
        return try self.tokens.verify(token, now: now, after: earlier)
    }

    /// Why a plain-text client, which can show no token, cannot come in.
    package var refusalOfText: RequestError? {
        guard self.settings.authentication == .required else { return nil }
        return RequestError(
            .authenticationRequired,
            "this channel requires a token, which plain text cannot show; send JSON lines"
        )
    }

    /// Why a message cannot go into a room, whichever way it comes: what a moderator has imposed counts first, then what the token
    /// allows, then its size. Rates are asked behind that, because who asks is counted.
    package func refusal(
        ofMessageBytes count: Int,
        into room: RoomName,
        mayPublish: Bool = true,
        sanction: @autoclosure () -> RequestError?
    ) -> RequestError? {
        if let error = sanction() { return error }
        guard mayPublish else { return .denied("publish into", room) }
        return Self.refusal(of: "message", count, self.settings.limits.messageBytes, self.limits.message)
    }

    /// The refusal of a member's data that is too large; `nil` for data that is not.
    package func refusal(ofClientDataBytes count: Int) -> RequestError? {
        let own = self.settings.clientDataBytes ?? ChannelBounds.usualClientData
        return Self.refusal(of: "client_data", count, own, self.limits.clientData)
    }

    private static func refusal(of field: String, _ count: Int, _ own: Int?, _ broker: Int) -> RequestError? {
        let limit = min(own ?? .max, broker)
        guard count > limit else { return nil }
        let place = own == limit ? " in this channel" : ""
        return RequestError(.messageTooLarge, "\"\(field)\" has \(count) bytes; the limit\(place) is \(limit)")
    }

    /// Whether `rateRefusal` has to be asked.
    package var limitsPublishes: Bool { self.publishes != nil }

    /// Why no message can be published in the channel just now.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    package func rateRefusal(now: UInt64) -> RequestError? {
        guard let rate = self.settings.limits.publishRate, let wait = self.publishes?.take(now: now) else { return nil }
        return RequestError(
            .rateLimited,
            "more than \(rate) messages a second into this channel; wait before the next one",
            retryAfterMilliseconds: wait
        )
    }

    /// Why nobody, or not this member, can bring another room to life just now.
    ///
    /// - Parameters:
    ///   - maker: `nil`: counted for nobody.
    ///   - now: a monotonic time in nanoseconds.
    package func newRoomRefusal(of maker: RoomMaker?, now: UInt64) -> RequestError? {
        if let maker, case .member = maker, let error = self.memberNewRooms?.refusal(of: maker, now: now) {
            return error
        }
        guard let rate = self.settings.limits.newRoomRate, let wait = self.newRooms?.take(now: now) else { return nil }
        return RequestError(
            .rateLimited,
            "more than \(rate) new rooms a second in this channel; wait before the next one",
            retryAfterMilliseconds: wait
        )
    }
}

/// Counts of one channel on all event loops. They stay when its settings change.
package final class ChannelUsage: Sendable {
    private let activeRooms = Atomic<Int>(0)
    private let openConnections = Atomic<Int>(0)
    private let acceptedMessages = Atomic<Int>(0)

    package init() {}

    /// Messages that its rooms took.
    package var publishes: Int { self.acceptedMessages.load(ordering: .relaxed) }

    /// Counts the messages of a batch.
    package func published(_ messages: Int) {
        self.acceptedMessages.wrappingAdd(messages, ordering: .relaxed)
    }

    /// Rooms with members.
    package var rooms: Int { self.activeRooms.load(ordering: .relaxed) }

    package var connections: Int { self.openConnections.load(ordering: .relaxed) }

    /// Counts one more room with members, unless there are `limit` already.
    package func roomBecameActive(limit: Int) -> Bool { Self.enter(self.activeRooms, limit: limit) }

    package func roomBecameDormant() {
        self.activeRooms.subtract(1, ordering: .relaxed)
    }

    /// Counts one more connection, unless there are `limit` already.
    package func connectionOpened(limit: Int) -> Bool { Self.enter(self.openConnections, limit: limit) }

    package func connectionClosed() {
        self.openConnections.subtract(1, ordering: .relaxed)
    }

    private static func enter(_ count: borrowing Atomic<Int>, limit: Int) -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= limit { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }
}
