import RoomClient

enum Move: Codable, Sendable {
    case place(piece: String, square: String)
    case resign
}

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default")

// Leaving the scope leaves the room, however it is left.
try await client.withRoom("game-42", of: Move.self) { room in
    try await room.publish(.place(piece: "queen", square: "d4"))

    for await message in room.messages {
        do {
            switch try message.body {
            case .place(let piece, let square): print("\(piece) on \(square)")
            case .resign: return
            }
        } catch {
            // Anybody may publish anything: what is no move is an error here, and not the end of the game.
            print("no move: \(message.json)")
        }
    }
}
