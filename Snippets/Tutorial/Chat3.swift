import RoomClient

let me = MemberProfile(name: CommandLine.arguments.dropFirst().first ?? "Luke")
let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: me)
let room = try await client.join("lobby", of: String.self, history: 10)

// Each line that is typed is published, beside the loop that reads.
let writer = Task.detached { [room] in
    while let line = readLine() { try await room.publish(line) }
    await room.leave()
}

for await event in room.events {
    switch event {
    case .message(let message): print(name(of: message.member), "says", message.text ?? "something else than text")
    case .joined(let member): print("*", name(of: member), "is here")
    case .left(let member): print("*", name(of: member), "has gone")
    case .gap: print("* some messages are missing here")
    default: break
    }
}
try await writer.value
await client.close()

func name(of member: Member?) -> String { member?.profile?.name ?? "somebody" }
