import RoomClient

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default")
let room = try await client.join("lobby", of: String.self)

let receipt = try await room.publish("hello")
print("the broker has it as message", receipt.seq ?? 0)

await client.close()
