/// How much happens in a chaos run.
struct ChaosScript: Sendable {
    /// Of each publisher in each of its rooms.
    let lanes = 6
    let messagesPerLane: Int
    let kills: Int
    /// How many of a room's messages the broker keeps.
    let history: Int

    /// Whether every client has to show tokens, which expire all the time.
    var wantsTokens = false

    /// How many messages are published, cancelled ones aside.
    var total: Int { ChaosCast.roles.map(\.publishes.count).reduce(0, +) * self.lanes * self.messagesPerLane }
}
