package import RoomModel

/// The bans and mutes that hold for one member.
package struct ActiveSanctions: Equatable, Sendable {
    private var bans: [Scope: Sanction] = [:]
    private var mutes: [Scope: Sanction] = [:]
    /// When the first of them ends: Unix milliseconds.
    package private(set) var nextEnd: Int64?

    /// The whole channel, or one of its rooms.
    package enum Scope: Hashable, Sendable {
        case channel
        case room(RoomName)
    }

    package init() {}

    init(_ sanctions: [Sanction]) {
        for sanction in sanctions {
            let place = Scope(sanction.key.room)
            switch sanction.key.kind {
            case .ban: self.bans[place] = Self.longer(self.bans[place], sanction)
            case .mute: self.mutes[place] = Self.longer(self.mutes[place], sanction)
            }
        }
        self.nextEnd = [self.bans, self.mutes].flatMap { $0.values.compactMap(\.expires) }.min()
    }

    /// The one to speak of, of two sanctions for the same place: the one that holds longer.
    private static func longer(_ first: Sanction?, _ second: Sanction) -> Sanction {
        guard let first, first.expires ?? .max >= second.expires ?? .max else { return second }
        return first
    }

    package var isClear: Bool { self.bans.isEmpty && self.mutes.isEmpty }

    /// The ban that keeps the member out of the channel.
    package var channelBan: Sanction? { self.bans[.channel] }

    /// The ban that keeps the member out of a room.
    package func ban(from room: RoomName) -> Sanction? { self.bans[.channel] ?? self.bans[.room(room)] }

    /// The mute that keeps the member from publishing in a room.
    package func mute(in room: RoomName) -> Sanction? { self.mutes[.channel] ?? self.mutes[.room(room)] }

    package func mute(at place: Scope) -> Sanction? { self.mutes[place] }

    /// The mute that keeps the member from publishing in one of these rooms: it looks at the mutes, not at thousands of
    /// rooms.
    func mute(inAnyOf isMeant: (RoomName) -> Bool) -> Sanction? {
        if let mute = self.mutes[.channel] { return mute }
        return self.mutes.values.filter { $0.key.room.map(isMeant) ?? false }
            .min { ($0.key.room?.text ?? "") < ($1.key.room?.text ?? "") }
    }

    /// The change for a member that stood otherwise before and is in `rooms`, or on its way into them.
    func change(from before: ActiveSanctions, rooms: some Sequence<RoomName>) -> ActiveSanctionsChange {
        var change = ActiveSanctionsChange()
        change.channelBan = self.channelBan
        if !self.bans.isEmpty {
            for room in rooms { change.roomBans[room] = self.bans[.room(room)] }
        }
        let changed = Set(self.mutes.keys).union(before.mutes.keys).filter { before.mutes[$0] != self.mutes[$0] }
        change.mutes = changed.sorted { $0.text < $1.text }.map { MuteChange(scope: $0, mute: self.mutes[$0]) }
        return change
    }
}

extension ActiveSanctions.Scope {
    package init(_ room: RoomName?) {
        self = room.map { .room($0) } ?? .channel
    }

    package var room: RoomName? {
        switch self {
        case .channel: nil
        case .room(let room): room
        }
    }

    fileprivate var text: String { self.room?.text ?? "" }
}
