package import RoomModel

extension RequestError {
    /// Why somebody cannot connect, or come into a room.
    package static func banned(_ ban: Sanction) -> RequestError {
        RequestError(.banned, "you are banned from \(Self.place(ban))\(Self.rest(ban))", room: ban.key.room)
    }

    /// Why somebody cannot show itself otherwise, in whichever room it is.
    static func mutedElsewhere(_ mute: Sanction) -> RequestError {
        let place = mute.key.room.map { "the room \($0.text)" } ?? "this channel"
        let text = "your name and data cannot change while you are muted in \(place)\(Self.rest(mute))"
        return RequestError(.muted, text, room: mute.key.room)
    }

    /// Why somebody cannot publish.
    package static func muted(_ mute: Sanction) -> RequestError {
        RequestError(.muted, "you are muted in \(Self.place(mute))\(Self.rest(mute))", room: mute.key.room)
    }

    private static func place(_ sanction: Sanction) -> String {
        sanction.key.room == nil ? "this channel" : "this room"
    }

    private static func rest(_ sanction: Sanction) -> String {
        let end = sanction.expires.map { " until \(UTCTime.text(milliseconds: $0))" } ?? ""
        return end + (sanction.reason.map { ": \($0)" } ?? "")
    }
}
