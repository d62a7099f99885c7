package import Logging
package import RoomCore
package import RoomDelivery
package import RoomMetrics
package import RoomModel

/// The one writer of bans, mutes and room rules while the broker runs, and the one place where any act of moderation is
/// made, an administrator's or a member's.
///
/// An act is checked, stored with its audit entry, and in effect on every event loop; only then is it answered. In a
/// channel acts are made one after the other.
package actor ModerationRegistry {
    private let directory: any ModerationDirectory
    let rooms: any ModeratedRooms
    let clock: @Sendable () -> Int64
    private let instruments: ModerationInstruments
    private let events: EventHub
    private let logger: Logger
    private let disk = Blocking(label: "roomline.moderation")
    /// Not in the queue of those who wait until all nodes of a cluster have made a change.
    private let reading = Blocking(label: "roomline.moderation.reading")
    let turns = TurnQueue<ChannelID>()
    let authorActs = AuthorActs()
    private var channels: [ChannelID: ChannelModeration]

    /// - Parameters:
    ///   - channels: as it is stored, and as the event loops have it.
    ///   - clock: Unix milliseconds.
    package init(
        channels: [ChannelID: ChannelModeration],
        directory: any ModerationDirectory,
        rooms: any ModeratedRooms,
        instruments: ModerationInstruments,
        events: EventHub,
        clock: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.channels = channels
        self.directory = directory
        self.rooms = rooms
        self.instruments = instruments
        self.events = events
        self.clock = clock
        self.logger = logger
    }

    /// All that holds in a channel, with sanctions that have ended just now.
    package func moderation(of channel: ChannelID) -> ChannelModeration {
        self.channels[channel] ?? ChannelModeration()
    }

    /// The bans and mutes that hold for somebody now.
    package func activeSanctions(of person: SanctionedPerson, in channel: ChannelID) -> ActiveSanctions {
        self.moderation(of: channel).sanctions.activeSanctions(of: person, now: self.clock())
    }

    /// Another node, or this one, has changed something in the channel: it is in effect when this returns.
    package func reload(_ channel: ChannelID) async {
        let now = self.clock()
        do throws(ChannelDirectoryError) {
            let stored = try await self.reading.run { [directory] () throws(ChannelDirectoryError) in
                try directory.moderation(now: now)
            }
            let (old, new) = (self.moderation(of: channel), stored[channel] ?? ChannelModeration())
            let rooms = Set(old.rules.keys).union(new.rules.keys).filter { old.rules(of: $0) != new.rules(of: $0) }
            if new != old { await self.putInEffect(new, in: channel, rooms: rooms) }
        } catch {
            self.logger.error(
                "bans, mutes and rules could not be read again: those until now hold on",
                metadata: ["channel": "\(channel)", "error": "\(error.text)"]
            )
        }
    }

    // MARK: Upkeep

    /// The channel is no more, and so is all that was set in it: a channel of the same id begins without.
    func channelRemoved(_ channel: ChannelID) async {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        guard let old = self.channels[channel] else { return }
        await self.putInEffect(ChannelModeration(), in: channel, rooms: Set(old.rules.keys))
    }

    /// Forgets the sanctions that have ended.
    package func sweep() async {
        let now = self.clock()
        for channel in Array(self.channels.keys) { await self.sweep(channel, now: now) }
        do throws(ChannelDirectoryError) {
            try await self.disk.run { [directory] () throws(ChannelDirectoryError) in
                try directory.forgetEnded(by: now)
            }
        } catch {
            self.logger.warning(
                "bans and mutes that have ended could not be removed yet",
                metadata: ["error": "\(error.text)"]
            )
        }
    }

    private func sweep(_ channel: ChannelID, now: Int64) async {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        var moderation = self.moderation(of: channel)
        let ended = moderation.sanctions.all.filter { !$0.holds(at: now) }
        if ended.isEmpty { return }
        for sanction in ended { moderation.sanctions.remove(sanction.key) }
        await self.putInEffect(moderation, in: channel)
    }

    // MARK: Steps of an act

    /// Asks once more, now that it is the moderator's turn: its loop may have let it act before it heard of its ban.
    ///
    /// - Parameter room: `nil`: the whole channel.
    /// - Throws: `banned`.
    func checkStanding(of moderator: Moderator, in channel: ChannelID, _ room: RoomName?) throws(RequestError) {
        guard let person = moderator.person else { return }
        let activeSanctions = self.activeSanctions(of: person, in: channel)
        let ban = if let room { activeSanctions.ban(from: room) } else { activeSanctions.channelBan }
        if let ban { throw .banned(ban) }
    }

    /// Makes a change of the control file, which notes it there.
    ///
    /// - Parameter missing: what it means that there is nothing of that kind.
    func store<Value: Sendable>(
        orThrow missing: RequestError = ModerationRegistry.unknownChannel,
        _ call: @escaping @Sendable (any ModerationDirectory) throws(ChannelDirectoryError) -> Value
    ) async throws(RequestError) -> Value {
        do throws(ChannelDirectoryError) {
            return try await self.disk.run { [directory] () throws(ChannelDirectoryError) in try call(directory) }
        } catch {
            guard error.reason == .unavailable else { throw missing }
            // Its text names the file: that is for operators, not for members.
            self.logger.error("a moderation action could not be stored", metadata: ["error": "\(error.text)"])
            throw RequestError(
                .storageUnavailable,
                "nothing has been done, because the broker cannot note it on its disk now, which may be full; try again when it can",
                retryAfterMilliseconds: 1_000
            )
        }
    }

    /// Has every event loop go by what was stored, unless it has been told already.
    ///
    /// - Parameter rooms: those whose rules have changed.
    func putInEffect(
        in channel: ChannelID,
        rooms: Set<RoomName> = [],
        _ change: (inout ChannelModeration) -> Void
    ) async {
        guard !self.directory.isShared else { return }
        var moderation = self.moderation(of: channel)
        change(&moderation)
        await self.putInEffect(moderation, in: channel, rooms: rooms)
    }

    /// Has every event loop go by this from now on.
    ///
    /// - Parameter rooms: those whose rules have changed.
    func putInEffect(_ moderation: ChannelModeration, in channel: ChannelID, rooms: Set<RoomName> = []) async {
        self.channels[channel] = moderation == ChannelModeration() ? nil : moderation
        await self.rooms.moderationChanged(moderation, in: channel, rooms: rooms)
    }

    /// Tells those who count and those who watch.
    func done(_ action: AuditAction, in channel: ChannelID, _ room: RoomName?) {
        self.instruments.count(action.rawValue)
        self.events.post(time: self.clock(), .moderated(action: action.rawValue, channel, room: room))
    }

    /// Makes an act that lies outside the control file. It is noted before it is made, so that no crash can leave it
    /// unnoted; where it is refused, the entry is withdrawn.
    ///
    /// - Parameter act: gives what there is to say of it, and whether anything was done.
    func noted<Receipt>(
        _ entry: AuditEntry,
        _ act: () async throws(RequestError) -> (receipt: Receipt, isDone: Bool)
    ) async throws(RequestError) -> (receipt: Receipt, isDone: Bool) {
        let number = try await self.store { directory throws(ChannelDirectoryError) in try directory.note(entry) }
        do throws(RequestError) {
            let result = try await act()
            if !result.isDone { await self.withdraw(number) }
            return result
        } catch {
            // Whether it was done is not known where the history does not answer: the entry stands.
            if error.code != .storageUnavailable { await self.withdraw(number) }
            throw error
        }
    }

    private func withdraw(_ entry: Int64) async {
        do throws(ChannelDirectoryError) {
            try await self.disk.run { [directory] () throws(ChannelDirectoryError) in try directory.withdraw(entry) }
        } catch {
            self.logger.error(
                "the audit log has an entry of a refused action",
                metadata: ["error": "\(error.text)", "audit.id": "\(entry)"]
            )
        }
    }

    static let unknownChannel = RequestError(.unknownChannel, "there is no such channel any more")
}
