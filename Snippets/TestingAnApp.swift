import RoomClient
import RoomClientTesting

// The body of a test. No sockets, and time stands still.
try await FakeBroker.with { broker in
    let leia = try await broker.member(MemberProfile(name: "Leia"))
    try await leia.publish("is anybody here?", to: "lobby")

    let client = try broker.client(member: MemberProfile(name: "Luke"))
    let app = Greeter(try await client.join("lobby", of: String.self, history: 10))
    await app.greet()
    let published = await broker.messages(in: "lobby")
    assert(published.last?.string == "hello")

    await leia.join("lobby")
    assert(app.room.memberCount == 2)

    await broker.goOffline()
    try await leia.publish("are you there?", to: "lobby")
    await broker.goOnline()  // the app gets what it has missed

    await broker.refuse(.publish, with: .muted)
    await app.greet()
    assert(app.error?.code == .muted)
}

// snippet.hide
@MainActor
final class Greeter {
    let room: Room<String>
    private(set) var error: RoomClientError?

    init(_ room: Room<String>) { self.room = room }

    func greet() async {
        do throws(RoomClientError) {
            try await self.room.publish("hello")
        } catch {
            self.error = error
        }
    }
}
