import RoomClient

/// Who takes part in a chaos run.
enum ChaosCast {
    static let observable = "observable-plaza"
    static let rooms = [Self.observable, "lobby", "attic"]

    static let roles: [ChaosClient.Role] = {
        let (plaza, lobby, attic) = (Self.rooms[0], Self.rooms[1], Self.rooms[2])
        return [
            ChaosClient.Role(name: "Ada", listens: [plaza, lobby], publishes: [plaza, lobby]),
            ChaosClient.Role(
                name: "Bob",
                listens: [plaza, attic],
                publishes: [plaza, attic],
                feedBuffer: .init(count: 16, bytes: 4_096),
                outbox: .init(count: 4)
            ),
            ChaosClient.Role(name: "Cyd", publishes: [lobby, attic]),
            ChaosClient.Role(name: "Dee", listens: [plaza, lobby, attic], feedBuffer: .init(count: 4)),
            ChaosClient.Role(name: "Eve", habit: .slowReader, listens: [plaza], feedBuffer: .init(count: 64)),
            ChaosClient.Role(name: "Fay", habit: .slowReader, listens: [lobby], feedBuffer: .init(count: 16)),
            ChaosClient.Role(name: "Gus", listens: Self.rooms, publishes: Self.rooms, outbox: .init(bytes: 2_000)),
            ChaosClient.Role(name: "Hal", habit: .latecomer, listens: [plaza, attic]),
            ChaosClient.Role(name: "Ida", habit: .wanderer, listens: [plaza, lobby]),
        ]
    }()
}

/// A client in a room.
struct ChaosStay: Hashable, Sendable {
    let member: String
    let room: String
}
