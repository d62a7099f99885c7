package import RoomModel

/// The bans and mutes that hold for one member.
package struct Standing: Equatable, Sendable {
    private var bans: [Place: Sanction] = [:]
    private var mutes: [Place: Sanction] = [:]

    /// The whole channel, or one of its rooms.
    package enum Place: Hashable, Sendable {
        case channel
        case room(RoomName)
    }

    package init() {}

    init(_ sanctions: [Sanction]) {
        for sanction in sanctions {
            let place = sanction.key.room.map { Place.room($0) } ?? .channel
            switch sanction.key.kind {
            case .ban: self.bans[place] = Self.longer(self.bans[place], sanction)
            case .mute: self.mutes[place] = Self.longer(self.mutes[place], sanction)
            }
        }
    }

    /// Of two sanctions for the same place the one that holds longer is the one to speak of.
    private static func longer(_ first: Sanction?, _ second: Sanction) -> Sanction {
        guard let first, first.expires ?? .max >= second.expires ?? .max else { return second }
        return first
    }

    package var isClear: Bool { self.bans.isEmpty && self.mutes.isEmpty }

    /// What keeps the member out of the channel.
    package var channelBan: Sanction? { self.bans[.channel] }

    /// What keeps the member out of a room.
    package func ban(from room: RoomName) -> Sanction? { self.bans[.channel] ?? self.bans[.room(room)] }

    /// What keeps the member from publishing in a room.
    package func mute(in room: RoomName) -> Sanction? { self.mutes[.channel] ?? self.mutes[.room(room)] }

    /// The rooms, or the channel, in which the member is muted.
    package var mutedPlaces: Set<Place> { Set(self.mutes.keys) }

    package func mute(at place: Place) -> Sanction? { self.mutes[place] }
}
