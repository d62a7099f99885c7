import RoomClient

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: MemberProfile(name: "Leia"))
let room = try await client.join("lobby", of: String.self, history: 10)

room.typing()  // for each key; the client sends one signal in three seconds
try await room.publish("hello")

for await event in room.events {
    switch event {
    case .message(let message):
        print(message.text ?? "")
        if let position = message.position { room.markRead(through: position) }
    case .signal(.typing(let isTyping), let message) where !message.isOwn:
        print(name(message.member), isTyping ? "is typing…" : "has stopped")
    case .signal(.read(let position), let message) where !message.isOwn:
        print(name(message.member), "has read up to", position.seq)
    default: break
    }
}

func name(_ member: Member?) -> String {
    member?.profile?.name ?? "somebody"
}
