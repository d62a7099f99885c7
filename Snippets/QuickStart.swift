import RoomClient

let me = try MemberProfile(name: CommandLine.arguments.dropFirst().first ?? "Luke", color: "#2e7d32")
let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: me)
try await client.connect()  // optional: throws at once if the broker cannot be reached
let room = try await client.join("lobby", of: String.self, history: 10)

try await room.publish("hello")
for await message in room.messages {
    print(message.member?.profile?.name ?? "somebody", "says", message.text ?? "something else than text")
}
