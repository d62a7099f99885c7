import Foundation
import RoomAdmin
import RoomClient

let admin = try AdminClient(
    AdminAddress(url: "https://chat.example"),
    token: ProcessInfo.processInfo.environment["ROOMLINE_TOKEN"]
)

// A channel with its secret, which only this answer shows.
let settings = try JSON(#"{"authentication":"required","history":{"count":1000}}"#)
let channel = try await admin.send(.createChannel("shop", settings: settings))
print(channel.id, channel.secret ?? "")

// Who is in which room, page by page.
for try await room in admin.list(.rooms(of: "shop")) {
    for try await member in admin.list(.members(of: room.name, in: "shop")) {
        print(room.name, member.id, member.user ?? "-", member.connection?.address ?? "away")
    }
}

// Refusals have a stable code.
do {
    try await admin.send(.impose(.ban, on: .user("17"), in: "shop", for: .seconds(3_600), reason: "spam"))
} catch {
    guard error.code == .permissionDenied else { throw error }
    print("the token needs the scope moderate:", error.message)
}

// All messages that a room has stored.
for try await page in admin.history(of: "lobby", in: "shop") {
    for message in try page.messages() { print(message.seq, message.date, message.message ?? "(removed)") }
}

// What happens, until the process ends; also across restarts of the broker.
for try await event in admin.events(of: "shop") {
    print(event.kind, event.room ?? "", event.clientID ?? "")
}
