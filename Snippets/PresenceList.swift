import RoomClient

let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: MemberProfile(name: "Leia"))
let room = try await client.join("lobby")

for await event in room.events {
    switch event {
    case .members(let members): print("here are", members.map(\.name))
    case .joined(let member): print(member.name, "came")
    case .left(let member): print(member.name, "went")
    case .updated(let member): print(member.id, "is", member.name, "now")
    case .message(let message): print(message.json)
    case .gap(let gap): print("messages are missing:", gap.reason)
    case .signal, .redacted, .cleared, .notice, .muteChanged: break
    }
    // Every task can read the present members at any time:
    print(room.members.count, "are here")
}

extension Member {
    var name: String { self.profile?.name ?? self.id }
}
