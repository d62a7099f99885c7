import Foundation
import RoomClient

let token = ProcessInfo.processInfo.environment["ROOMLINE_TOKEN"] ?? ""
let client = try RoomClient("tcp://127.0.0.1:10000", channel: "shop", token: .fixed(token))

// A mute of the whole channel is not among the events of a room. Asked for before the client connects: it comes then.
let channelEvents = client.events
Task {
    for await event in channelEvents {
        switch event {
        case .notice(let notice): print("* to everybody:", notice.text)
        case .muteChanged(let mute?): print("you cannot write in any room:", mute.reason ?? "ask a moderator")
        case .muteChanged(nil): print("you can write again")
        }
    }
}

let room = try await client.join("support", of: String.self, history: 50)
var shown: [UUID: String] = [:]

for await event in room.events {
    switch event {
    case .message(let message):
        shown[message.id] = message.isRedacted ? "(removed)" : message.text
        if message.text?.contains("cheap watches") ?? false { try await keepOrder(room, message) }
    case .redacted(let redaction): shown[redaction.messageID] = "(removed)"
    case .cleared: shown = [:]
    case .notice(let notice): print("*", notice.text)
    case .muteChanged(let mute?): print("you cannot write here:", mute.reason ?? "ask a moderator")
    case .muteChanged(nil): print("you can write here again")
    case .signal, .members, .joined, .left, .updated, .gap: break
    }
}

switch room.endError?.code {
case .kicked?, .banned?: print("a moderator has taken this client out:", room.endError?.message ?? "")
default: print("the room was left")
}

/// Needs a token that grants `"moderate": true`.
func keepOrder(_ room: Room<String>, _ message: RoomMessage<String>) async throws {
    try await room.moderation.redact(message, reason: "spam")
    guard let member = message.member else { return }
    let subject = member.user.map { ModerationSubject.user($0) } ?? .client(member.id)
    try await room.moderation.mute(subject, for: .seconds(600), reason: "spam")
}
