import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomClient

/// Silence, pings, and what is not a frame.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct LifeSignTests {
    @Test func `silence is asked with a ping, and more silence ends the connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.heartbeat = .seconds(5) }
            client.startConnecting()
            let link = try await broker.welcome()
            await broker.advance(.milliseconds(4_999))
            #expect(await link.unreadKinds() == [])
            await broker.advance(.milliseconds(1))
            #expect(await link.unreadKinds() == ["ping"])
            await broker.advance(.milliseconds(4_999))
            #expect(!link.isClosed)
            await broker.advance(.milliseconds(1))
            #expect(link.isClosed)
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `whatever is heard is a sign of life`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.heartbeat = .seconds(5) }
            client.startConnecting()
            let link = try await broker.welcome()
            for round in 0..<5 {
                await broker.advance(.seconds(5))
                #expect(await link.unreadKinds() == ["ping"], "round \(round)")
                await broker.advance(.seconds(4))
                try await link.pong()
            }
            await broker.advance(.seconds(3))
            try await link.sendBytes(" ")
            await broker.advance(.seconds(4))
            #expect(await link.unreadKinds() == [])
            #expect(!link.isClosed)
        }
    }

    @Test func `a ping of the broker's is answered`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.ping()
            #expect(await link.unreadKinds() == ["pong"])
        }
    }

    @Test(arguments: [
        "", "hello", "{", "[]", "7", #"{"type":7}"#, #"{"type":"publish"}"#, #"{"callback":"1"}"#, "{}",
        #"{"type":"gap","room":"lobby"}"#, #"{"type":"goodbye","code":"internal"}"#, "\u{0}",
    ])
    func `a line that is not a frame ends the connection, and the next one follows`(line: String) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.sendBytes(line + "\n")
            #expect(await client.state() == "waiting protocol_violation")
            #expect(link.isClosed)
            await broker.advance(.seconds(1))
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `frames behind one that ended the connection are not read`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.sendBytes(
                "nonsense\n" + link.frame { $0.frame(Goodbye(.banned, reason: "r", retryAfterMilliseconds: nil)) }
                    + "\n"
            )
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `frames and fields that came later are ignored`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.sendBytes(#"{"type":"reaction","room":7,"callback":null}"# + "\n")
            try await link.sendBytes(#"{"callback":99999,"seq":1}"# + "\n")
            try await link.sendBytes(#"{"type":"ping","new":{"a":[1]}}"# + "\n")
            try await link.sendBytes(#"{"error":"you did something","code":"new"}"# + "\n")
            #expect(await link.unreadKinds() == ["pong"])
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `frames are read however the network splits them`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            let lines = (UInt64(1)...3).map { (seq: UInt64) in link.message(seq, #"{"n":\#(seq),"é":"€😀"}"#) + "\r\n" }
            var bytes = link.bytes(of: lines.joined())
            while let byte = bytes.readSlice(length: 1) { try await link.sendBytes(byte) }
            #expect(await room.readMessages(3) == (1...3).map { #"{"n":\#($0),"é":"€😀"}"# })
        }
    }

    @Test func `an error on the channel ends the connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.fail(ChannelError.inputClosed)
            #expect(await client.state() == "waiting connection_lost")
            #expect(link.isClosed)
        }
    }
}
