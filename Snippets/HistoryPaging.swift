import RoomClient

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default")
let room = try await client.join("lobby", of: String.self)

// From the newest message back to the oldest stored one.
var page = try await room.history(limit: 100)
while true {
    for message in page.messages.reversed() {
        print(message.time, message.text ?? "")
    }
    guard page.hasMore, let oldest = page.seqs?.lowerBound else { break }
    page = try await room.history(before: oldest, limit: 100)
}

// An app that stores the position of the last shown message can continue there after its next start.
if let position = page.messages.last?.position {
    await room.leave()
    let again = try await client.join("lobby", of: String.self, since: position)
    for await message in again.messages.prefix(10) {
        print(message.text ?? "")
    }
}
await client.close()
