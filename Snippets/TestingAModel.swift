import RoomClient
import RoomClientTesting

/// A model that reads in a loop.
@MainActor
final class ChatModel {
    private(set) var lines: [String] = []
    private(set) var endError: RoomClientError?
    private let room: Room<String>

    init(_ room: Room<String>) { self.room = room }

    func run() async {
        for await message in self.room.messages { self.lines.append(message.text ?? "") }
        self.endError = self.room.endError
    }
}

/// Lets the tasks of the main actor run until the model has read what its room has got.
@MainActor
func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}

// The body of a test, on the main actor as the model is.
try await FakeBroker.with { broker in
    let leia = try await broker.member(MemberProfile(name: "Leia"))
    let client = try broker.client()
    let model = ChatModel(try await client.join("lobby", of: String.self))
    let running = Task { await model.run() }

    // The loop goes on, so the test waits for what it wants to see.
    try await leia.publish("hello", to: "lobby")
    await wait(until: { model.lines == ["hello"] })

    // A loop that ends has read everything before: nothing to wait for but the task.
    try await leia.publish("goodbye", to: "lobby")
    await broker.remove(client, from: "lobby", reason: "enough")
    await running.value
    assert(model.lines == ["hello", "goodbye"])
    assert(model.endError?.code == .kicked)

    // After a kick the app may join again, if the user asks for it.
    _ = try await client.join("lobby", of: String.self)
}
