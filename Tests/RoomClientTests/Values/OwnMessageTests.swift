import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct OwnMessageTests {
    @Test func `what one has said oneself is known, also of an earlier session`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let stranger = try await broker.welcome(clientID: "ann")
            try await stranger.letIn()
            let room = try await joining.value()
            var messages = room.messages.makeAsyncIterator()
            // In these tests everything is said by "bob".
            try await stranger.deliver(1...1)
            #expect(await messages.next()?.isOwn == false)
            try await stranger.lose()
            for (seq, clientID) in [(UInt64(2), "bob"), (3, "cyd")] {
                let link = try await broker.welcome(clientID: clientID)
                try await link.letIn(seq: seq - 1, recovered: true)
                try await link.deliver(seq...seq)
                #expect(await messages.next()?.isOwn == true)
                try await link.lose()
            }
        }
    }
}
