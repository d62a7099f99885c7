import RoomCore
import RoomModel

/// How much of what lasts a moderator can set. Members have narrower bounds, so that those of one room do not use up what
/// the others and the administrators need.
struct ModerationBounds {
    /// The most sanctions of one room that members can add to.
    static let ofRoom = 1_000
    /// The part of a channel's bound that members leave to administrators.
    static let reserve = 1_000

    private let isMember: Bool

    init(_ moderator: Moderator) {
        self.isMember = moderator.person != nil
    }

    /// The bound for the whole channel.
    private var limit: Int { ChannelModeration.limit - (self.isMember ? Self.reserve : 0) }

    /// Whether one more can be added.
    ///
    /// - Parameter room: where; `nil`: the whole channel.
    /// - Throws: `too_many_sanctions`.
    func checkSanctions(_ table: SanctionTable, in room: RoomName?) throws(RequestError) {
        let remedy = "lift some, or use a network instead of single addresses"
        guard table.count < self.limit else {
            throw RequestError(
                .tooManySanctions,
                "the channel has \(table.count) bans and mutes, the limit for \(self.giver): \(remedy)"
            )
        }
        guard self.isMember, let room else { return }
        guard table.all.count(where: { $0.key.room == room }) < Self.ofRoom else {
            throw RequestError(
                .tooManySanctions,
                "the room has \(Self.ofRoom) bans and mutes, the limit for \(self.giver): \(remedy)",
                room: room
            )
        }
    }

    /// Whether one more room can have rules.
    ///
    /// - Throws: `too_many_sanctions`.
    func checkRules(_ moderation: ChannelModeration) throws(RequestError) {
        guard moderation.rules.count < self.limit else {
            throw RequestError(
                .tooManySanctions,
                "\(moderation.rules.count) rooms of the channel have rules, the limit for \(self.giver): "
                    + "remove some first"
            )
        }
    }

    private var giver: String { self.isMember ? "members" : "everybody" }
}
