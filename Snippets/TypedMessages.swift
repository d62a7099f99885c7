import RoomClient

enum Move: Codable, Sendable {
    case place(piece: String, square: String)
    case resign
}

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default")

// The client leaves the room at the end of the scope, also when it throws.
try await client.withRoom("game-42", of: Move.self) { room in
    try await room.publish(.place(piece: "queen", square: "d4"))

    for await message in room.messages {
        do {
            switch try message.body {
            case .place(let piece, let square): print("\(piece) on \(square)")
            case .resign: return
            }
        } catch {
            // Every member can publish any JSON. A message that is not a move throws here and does not end the loop.
            print("no move: \(message.json)")
        }
    }
}
