package import Logging
import NIOConcurrencyHelpers
package import RoomCore
package import RoomDelivery
import RoomJSON
package import RoomModel

/// The one writer of channels while the broker runs.
///
/// A change is checked, stored together with its audit entry, and handed to every event loop; only then is it answered.
/// Changes are made one after the other. A log that no setting of its channel covers any more is cleared, so that it begins
/// a new epoch should it be covered again: nobody may take what was not stored meanwhile for nothing missed.
package actor ChannelRegistry {
    private struct Entry {
        var stored: StoredChannel
        var channel: RoomChannel
    }

    /// How long the secret before a rotation is taken, unless the caller says otherwise.
    package static let overlap = Duration.seconds(24 * 3_600)
    private static let previousSecrets = 2

    private let directory: any ChannelDirectory
    private let rooms: any RoomAccess
    private let moderation: ModerationRegistry
    /// `nil`: in a cluster, where the logs follow the rooms.
    private let engine: (any RoomEngine)?
    private let locks: NIOLockedValueBox<[ChannelID: [ChannelLock]]>
    private let refusal: @Sendable (ChannelSettings) -> ControlError?
    private let makeChannel: @Sendable (StoredChannel, RoomChannel?) -> RoomChannel
    private let clock: @Sendable () -> Int64
    private let logger: Logger
    private let disk = Blocking(label: "roomline.control")
    /// Not in the queue of those who wait until all nodes of a cluster have made a change.
    private let reading = Blocking(label: "roomline.control.reading")
    private let turns = TurnQueue<WholeControlFile>()
    private var entries: [ChannelID: Entry]

    /// - Parameters:
    ///   - channels: those that there are, as they are stored and as the event loops have them.
    ///   - locks: the settings that flags name.
    ///   - refusal: why the broker, as it is reached and stores, cannot have a channel with these settings.
    ///   - makeChannel: what the event loops get for a stored channel, and for the one that it follows.
    ///   - clock: Unix milliseconds.
    package init(
        channels: [(stored: StoredChannel, channel: RoomChannel)],
        directory: any ChannelDirectory,
        rooms: any RoomAccess,
        moderation: ModerationRegistry,
        engine: (any RoomEngine)?,
        locks: [ChannelID: [ChannelLock]],
        refusal: @escaping @Sendable (ChannelSettings) -> ControlError? = { _ in nil },
        makeChannel: @escaping @Sendable (StoredChannel, RoomChannel?) -> RoomChannel,
        clock: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.entries = Dictionary(
            channels.map { ($0.stored.settings.id, Entry(stored: $0.stored, channel: $0.channel)) },
            uniquingKeysWith: { _, last in last }
        )
        self.directory = directory
        self.rooms = rooms
        self.moderation = moderation
        self.engine = engine
        self.locks = NIOLockedValueBox(locks)
        self.refusal = refusal
        self.makeChannel = makeChannel
        self.clock = clock
        self.logger = logger
    }

    /// By id.
    package var channels: [StoredChannel] {
        self.entries.values.map(\.stored).sorted { $0.settings.id.text < $1.settings.id.text }
    }

    package func channel(_ id: ChannelID) throws(ControlError) -> StoredChannel { try self.entry(id).stored }

    /// The names of the settings that flags lock.
    package nonisolated func locked(_ id: ChannelID) -> [String] { self.locks(of: id).map(\.name) }

    private nonisolated func locks(of id: ChannelID) -> [ChannelLock] { self.locks.withLockedValue { $0[id] ?? [] } }

    // MARK: Changes

    /// Makes a channel; its first secret is `secret`.
    package func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        by caller: AdminCaller,
        details: String
    ) async throws(ControlError) -> StoredChannel {
        await self.turns.take()
        defer { self.turns.pass() }
        let id = settings.id
        guard self.entries[id] == nil else {
            throw ControlError(
                .channelExists,
                "the channel \(id) already exists: change it, or choose another id"
            )
        }
        return try await self.make(settings, secret: secret, by: caller, details: details)
    }

    private func make(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        by caller: AdminCaller,
        details: String
    ) async throws(ControlError) -> StoredChannel {
        let id = settings.id
        try self.check(settings)
        // Clears the logs that a channel of this name left behind when its deletion was cut short.
        try await self.clear(self.settledLogs(of: id))
        let entry = self.audit(caller, .createChannel, id, details)
        let stored = try await self.store { directory throws(ChannelDirectoryError) in
            try directory.create(settings, secret: secret, entry)
        }
        await self.putInEffect(stored)
        return stored
    }

    /// - Parameter change: the settings from those that there are.
    /// - Returns: the channel, or what `change` threw; then nothing is changed.
    package func change<Fault: Error>(
        _ id: ChannelID,
        if condition: VersionCondition,
        by caller: AdminCaller,
        details: String,
        _ change: @Sendable (ChannelSettings) throws(Fault) -> ChannelSettings
    ) async throws(ControlError) -> Result<StoredChannel, Fault> {
        await self.turns.take()
        defer { self.turns.pass() }
        let before = try self.entry(id, if: condition)
        let settings: ChannelSettings
        do throws(Fault) {
            settings = try change(before.stored.settings)
        } catch {
            return .failure(error)
        }
        return .success(try await self.change(before, to: settings, by: caller, details: details))
    }

    private func change(
        _ before: Entry,
        to settings: ChannelSettings,
        by caller: AdminCaller,
        details: String
    ) async throws(ControlError) -> StoredChannel {
        let id = settings.id
        try self.checkLocks(settings)
        guard settings != before.stored.settings else { return before.stored }
        try self.check(settings)
        let next = self.makeChannel(StoredChannel(settings: settings, secrets: [], version: 0), nil)
        let movesHistory =
            settings.history != before.stored.settings.history
            || settings.historyRules != before.stored.settings.historyRules
        let logs = movesHistory ? try await self.logs(of: id) : []
        let hasHistory = settings.history != nil || settings.historyRules.contains { $0.history != nil }
        if movesHistory, hasHistory {
            // Should there be logs of rooms that kept none until now, somebody's "off" was cut short. Where there are none, rooms
            // that are empty begin other logs all the same.
            try await self.clear(logs.filter { !before.channel.keepsHistory($0.room) && next.keepsHistory($0.room) })
        }
        let entry = self.audit(caller, .updateChannel, id, details)
        let stored = try await self.store { [version = before.stored.version] directory throws(ChannelDirectoryError) in
            try directory.update(settings, ifVersion: version, entry)
        }
        await self.putInEffect(stored)
        if movesHistory { await self.tryToClear(id) { !next.keepsHistory($0) } }
        return stored
    }

    /// Makes sure of a channel that a new configuration names, as a start does.
    ///
    /// - Parameters:
    ///   - locks: the settings that flags name from now on.
    ///   - secret: its first one, if the channel is made.
    ///   - details: of the audit entry, from the settings before and after.
    ///   - settings: what it has to have, from what it has; `nil`: there is no such channel yet.
    /// - Returns: whether anything has changed.
    package func ensure(
        _ id: ChannelID,
        locks: [ChannelLock],
        secret: ChannelSecret,
        by caller: AdminCaller,
        details: @Sendable (ChannelSettings?, ChannelSettings) -> String,
        _ settings: @Sendable (ChannelSettings?) -> ChannelSettings
    ) async throws(ControlError) -> Bool {
        await self.turns.take()
        defer { self.turns.pass() }
        let before = self.entries[id]
        let wanted = settings(before?.stored.settings)
        let previous = self.locks.withLockedValue { all in
            defer { all[id] = locks }
            return all[id]
        }
        guard wanted != before?.stored.settings else { return false }
        let details = details(before?.stored.settings, wanted)
        do throws(ControlError) {
            if let before {
                _ = try await self.change(before, to: wanted, by: caller, details: details)
            } else {
                _ = try await self.make(wanted, secret: secret, by: caller, details: details)
            }
        } catch {
            self.locks.withLockedValue { $0[id] = previous }
            throw error
        }
        return true
    }

    /// The settings of all other channels can be changed from now on.
    package func unlock(allBut ids: Set<ChannelID>) {
        self.locks.withLockedValue { locks in locks = locks.filter { ids.contains($0.key) } }
    }

    /// Gives the channel a new secret; the one until now is taken for `overlap` more.
    package func rotate(
        _ id: ChannelID,
        to secret: ChannelSecret,
        overlap: Duration,
        if condition: VersionCondition,
        by caller: AdminCaller
    ) async throws(ControlError) -> StoredChannel {
        await self.turns.take()
        defer { self.turns.pass() }
        let before = try self.entry(id, if: condition).stored
        let now = self.clock() / 1_000
        let end = now + overlap.components.seconds
        let previous = before.secrets.map { ChannelSecret(text: $0.text, expires: min($0.expires ?? end, end)) }
        let secrets = [secret] + previous.filter { ($0.expires ?? 0) > now }.prefix(Self.previousSecrets)
        let entry = self.audit(
            caller,
            .rotateSecret,
            id,
            "{\"overlap_seconds\":\(overlap.components.seconds)}"
        )
        let stored = try await self.store { directory throws(ChannelDirectoryError) in
            try directory.setSecrets(secrets, of: id, ifVersion: before.version, entry)
        }
        await self.putInEffect(stored)
        return stored
    }

    /// Removes the channel with all that it has, and lets its members go.
    package func delete(
        _ id: ChannelID,
        if condition: VersionCondition,
        by caller: AdminCaller
    ) async throws(ControlError) {
        await self.turns.take()
        defer { self.turns.pass() }
        let before = try self.entry(id, if: condition).stored
        if let lock = self.locks(of: id).first {
            throw ControlError(
                .settingLocked,
                "the channel \(id) is named by \(lock.flag): restart the broker without that flag first"
            )
        }
        let entry = self.audit(caller, .deleteChannel, id, "{}")
        _ = try await self.store { directory throws(ChannelDirectoryError) in
            try directory.delete(id, ifVersion: before.version, entry)
        }
        // else it is in effect already
        guard self.entries[id] != nil else { return }
        self.entries[id] = nil
        await self.rooms.channelRemoved(id)
        await self.moderation.channelRemoved(id)
        await self.tryToClear(id) { _ in true }
    }

    /// Another node of the cluster, or this one, has changed the channel: it is in effect when this returns.
    package func reload(_ id: ChannelID) async {
        do throws(ChannelDirectoryError) {
            let all = try await self.reading.run { [directory] () throws(ChannelDirectoryError) in
                try directory.channels()
            }
            if let stored = all.first(where: { $0.settings.id == id }) {
                await self.putInEffect(stored)
            } else if self.entries[id] != nil {
                self.entries[id] = nil
                await self.rooms.channelRemoved(id)
            }
        } catch {
            self.logger.error(
                "a channel could not be read again: its settings until now hold on",
                metadata: ["channel": "\(id)", "error": "\(error.text)"]
            )
        }
    }

    // MARK: Steps

    private func entry(_ id: ChannelID, if condition: VersionCondition = .any) throws(ControlError) -> Entry {
        guard let entry = self.entries[id] else {
            throw ControlError(.unknownChannel, "there is no channel \(id.text.shown)")
        }
        guard condition.holds(for: entry.stored.version) else {
            throw ControlError(
                .versionDiffers,
                "the channel \(id) is at version \(entry.stored.version), which does not match If-Match: read it again"
            )
        }
        return entry
    }

    private func check(_ settings: ChannelSettings) throws(ControlError) {
        if let error = self.refusal(settings) { throw error }
    }

    private func checkLocks(_ settings: ChannelSettings) throws(ControlError) {
        guard let lock = self.locks(of: settings.id).first(where: { !$0.allows(settings) }) else { return }
        throw ControlError(
            .settingLocked,
            "\(lock.name) is set by the broker's configuration, \(lock.flag): change it there; SIGHUP reloads a file"
        )
    }

    private func audit(_ caller: AdminCaller, _ action: AuditAction, _ id: ChannelID, _ details: String) -> AuditEntry {
        caller.entry(action, id.text, details, time: self.clock())
    }

    private func store<Value: Sendable>(
        _ call: @escaping @Sendable (any ChannelDirectory) throws(ChannelDirectoryError) -> Value
    ) async throws(ControlError) -> Value {
        do throws(ChannelDirectoryError) {
            return try await self.disk.run { [directory] () throws(ChannelDirectoryError) in try call(directory) }
        } catch {
            throw ControlError(error, exists: .channelExists, notFound: .unknownChannel)
        }
    }

    private func putInEffect(_ stored: StoredChannel) async {
        let id = stored.settings.id
        // in a cluster it is in effect already, perhaps with what somebody else has changed since
        if let known = self.entries[id]?.stored, known.version >= stored.version { return }
        let channel = self.makeChannel(stored, self.entries[id]?.channel)
        self.entries[id] = Entry(stored: stored, channel: channel)
        await self.rooms.channelChanged(channel)
    }

    private func logs(of id: ChannelID) async throws(ControlError) -> [RoomKey] {
        guard let engine else { return [] }
        let result = await withCheckedContinuation { continuation in
            engine.rooms(in: id) { continuation.resume(returning: $0) }
        }
        return try Self.value(of: result).map { RoomKey(channel: id, room: $0) }
    }

    /// The same with those whose first messages were on their way to the store.
    private func settledLogs(of id: ChannelID) async throws(ControlError) -> [RoomKey] {
        try await self.clear([])
        return try await self.logs(of: id)
    }

    private func clear(_ rooms: [RoomKey]) async throws(ControlError) {
        guard let engine else { return }
        let result = await withCheckedContinuation { continuation in
            engine.clear(rooms) { continuation.resume(returning: $0) }
        }
        try Self.value(of: result)
    }

    /// The change is made already. A log that is left behind now does no harm: it is cleared before it could be used
    /// again.
    private func tryToClear(_ id: ChannelID, _ isOver: (RoomName) -> Bool) async {
        do {
            try await self.clear(self.settledLogs(of: id).filter { isOver($0.room) })
        } catch {
            self.logger.warning(
                "the history that a channel has no more could not be removed yet",
                metadata: ["channel": "\(id)", "error": "\(error.text)"]
            )
        }
    }

    private static func value<Value>(of result: Result<Value, EngineError>) throws(ControlError) -> Value {
        do throws(EngineError) {
            return try result.get()
        } catch {
            throw ControlError(
                .storageUnavailable,
                "the history does not answer, so nothing has been changed: try again"
            )
        }
    }
}

extension RoomChannel {
    fileprivate func keepsHistory(_ room: RoomName) -> Bool { self.history(of: room) != nil }
}
