package import RoomModel

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
