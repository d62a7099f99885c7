package import RoomModel

/// The port to bans, mutes and room rules in the control file. The statements of `ChannelDirectory` about its calls
/// hold for these. They go with their channel when it is deleted.
package protocol ModerationDirectory: Sendable {
    /// Others change it too: whatever is changed, also by this broker, is told to be in effect before the change is answered.
    var isShared: Bool { get }

    /// The moderation of each channel, without sanctions that have ended by `now` (Unix milliseconds).
    func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration]

    /// Adds a sanction, or replaces the one of the same key. Throws `.notFound` where there is no such channel.
    func set(_ sanction: Sanction, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError)

    /// Throws `.notFound` where there is none of this key.
    func lift(_ key: Sanction.Key, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError)

    /// Replaces a room's rules; empty ones are none. Throws `.notFound` where there is no such channel.
    ///
    /// - Parameter audit: an entry for each rule that is another now.
    func set(_ rules: RoomRules, of room: RoomKey, _ audit: [AuditEntry]) throws(ChannelDirectoryError)

    /// Removes the sanctions that have ended by `time` (Unix milliseconds). That is no act, so it is not noted.
    func forgetEnded(by time: Int64) throws(ChannelDirectoryError)

    /// Notes what is about to be done outside the control file. Makes no backup.
    ///
    /// - Returns: the entry, to withdraw it.
    func note(_ audit: AuditEntry) throws(ChannelDirectoryError) -> Int64

    /// Takes back the entry of what was then refused.
    func withdraw(_ entry: Int64) throws(ChannelDirectoryError)
}

/// All that moderators have set in one channel and that lasts: its bans and mutes, and the rules of its rooms. Each event
/// loop has a copy.
package struct ChannelModeration: Equatable, Sendable {
    package var sanctions: SanctionTable
    /// Rooms that have rules.
    package private(set) var rules: [RoomName: RoomRules]

    package init(sanctions: [Sanction] = [], rules: [RoomName: RoomRules] = [:]) {
        self.sanctions = SanctionTable(sanctions)
        self.rules = rules.filter { !$0.value.isEmpty }
    }

    package func rules(of room: RoomName) -> RoomRules { self.rules[room] ?? RoomRules() }

    package mutating func set(_ rules: RoomRules, of room: RoomName) {
        self.rules[room] = rules.isEmpty ? nil : rules
    }

    /// The most sanctions, and the most rooms with rules, that a channel can have.
    package static let limit = 10_000
}
