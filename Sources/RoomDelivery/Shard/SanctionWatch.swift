import NIOCore
import RoomCore
import RoomModel

/// Keeps what moderators have set in each channel, as one shard knows it; the connections that a ban or a mute holds
/// for, and when to look at them again.
struct SanctionWatch {
    /// As of the latest change that this shard was told of.
    private var moderation: [ChannelID: ChannelModeration]
    /// The numbers of the connections for which a ban or a mute holds.
    private var sanctioned: [ChannelID: Set<UInt64>] = [:]
    /// When the channels' bans and mutes are to be looked at again.
    private var timers: [ChannelID: NIODeadline] = [:]

    init(_ moderation: [ChannelID: ChannelModeration]) {
        self.moderation = moderation
    }

    // MARK: Sanctions that hold

    mutating func set(_ moderation: ChannelModeration, in channel: ChannelID) {
        self.moderation[channel] = moderation
    }

    mutating func removed(_ channel: ChannelID) {
        self.moderation[channel] = nil
    }

    /// - Returns: `nil` where no moderator has set anything in the channel.
    func rules(of room: RoomKey) -> RoomRules? { self.moderation[room.channel]?.rules(of: room.room) }

    /// - Parameter now: Unix milliseconds.
    func activeSanctions(of person: SanctionedPerson, in channel: ChannelID, now: Int64) -> ActiveSanctions {
        self.moderation[channel]?.sanctions.activeSanctions(of: person, now: now) ?? ActiveSanctions()
    }

    /// Whether a session that nobody is connected to has to end.
    func isBanned(_ session: ResumedSession, now: Int64) -> Bool {
        let activeSanctions = self.activeSanctions(of: session.person, in: session.channel, now: now)
        return !activeSanctions.isClear
            && (activeSanctions.channelBan != nil || session.rooms.contains { activeSanctions.ban(from: $0) != nil })
    }

    // MARK: The connections that sanctions hold for, and until when

    /// In no order.
    func numbers(in channel: ChannelID) -> Set<UInt64> { self.sanctioned[channel, default: []] }

    mutating func forget(_ number: UInt64, in channel: ChannelID) {
        self.sanctioned[channel]?.remove(number)
        if self.sanctioned[channel]?.isEmpty ?? false { self.sanctioned[channel] = nil }
    }

    /// Remembers a connection for which something holds.
    ///
    /// - Parameters:
    ///   - end: when the first of its sanctions ends: Unix milliseconds, as `clock`.
    ///   - now: of the event loop.
    /// - Returns: in what time `timerFired` is to be called; `nil` where nothing is to be set.
    mutating func add(
        _ number: UInt64,
        in channel: ChannelID,
        until end: Int64?,
        clock: Int64,
        now: NIODeadline
    ) -> TimeAmount? {
        self.sanctioned[channel, default: []].insert(number)
        guard let end else { return nil }
        // the clock may be set meanwhile
        let wait = TimeAmount.milliseconds(min(max(1, end - clock), 3_600_000))
        let due = now + wait
        if let timer = self.timers[channel], timer <= due { return nil }
        self.timers[channel] = due
        return wait
    }

    func hasTimer(for channel: ChannelID) -> Bool { self.timers[channel] != nil }

    /// A deadline has passed: the one that is set now, or one that was set before an earlier one.
    ///
    /// - Returns: the connections to look at; `nil` where it is too early.
    mutating func timerFired(for channel: ChannelID, now: NIODeadline) -> [UInt64]? {
        guard let timer = self.timers[channel], timer <= now else { return nil }
        self.timers[channel] = nil
        return Array(self.numbers(in: channel))
    }
}
