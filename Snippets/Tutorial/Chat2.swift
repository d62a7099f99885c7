import RoomClient

let me = MemberProfile(name: CommandLine.arguments.dropFirst().first ?? "Luke")
let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: me)
let room = try await client.join("lobby", of: String.self, history: 10)

try await room.publish("hello")
for await message in room.messages {
    print(message.member?.profile?.name ?? "somebody", "says", message.text ?? "something else than text")
}
