import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct PublishTests {
    @Test func `a publish ends in its receipt`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let publishing = Task { try await client.publish(["text": "hello"], to: "lobby") }
            let link = try await broker.welcome()
            let publish = try await link.publish()
            #expect(publish.body.room == RoomName("lobby"))
            #expect(String(buffer: publish.body.message) == #"{"text":"hello"}"#)
            #expect(publish.body.messageID != nil && !publish.body.isEphemeral && publish.body.echoes)
            try await link.acknowledge(publish, seq: 43)
            let receipt = try await publishing.value
            #expect(receipt.seq == 43 && !receipt.isDuplicate)
        }
    }

    @Test func `what is longer than the broker takes is refused without asking it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.longestLine = 200 }
            client.startConnecting()
            let link = try await broker.welcome()
            let long = try JSON(encoding: String(repeating: "x", count: 200))
            let publishing = client.startPublishing(long, to: "lobby")
            #expect(await failure { try await publishing.value() }?.code == .messageTooLarge)
            #expect(await failure { try await client.publishEphemeral(long, to: "lobby") }?.code == .messageTooLarge)
            let short = client.startPublishing(try JSON("1"), to: "lobby")
            try await link.acknowledge(link.publish(), seq: 1)
            _ = try await short.value()
        }
    }

    @Test func `publishes go out in order, and their answers may come in any`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let publishing = try (1...3).map { client.startPublishing(try JSON("\($0)"), to: "lobby") }
            let publishes = [try await link.publish(), try await link.publish(), try await link.publish()]
            #expect(publishes.map { String(buffer: $0.body.message) } == ["1", "2", "3"])
            #expect(Set(publishes.map(\.body.messageID)).count == 3)
            for index in [2, 0, 1] { try await link.acknowledge(publishes[index], seq: UInt64(index) + 10) }
            for index in 0..<3 {
                let receipt = try await publishing[index].value()
                #expect(receipt.seq == UInt64(index) + 10)
            }
        }
    }

    @Test func `what was not acknowledged at a loss is sent again, in the same bytes and order`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let publishing = try (1...4).map { client.startPublishing(try JSON("\($0)"), to: "lobby") }
            var first: [Asked<PublishRequest>] = []
            for _ in 1...4 { first.append(try await link.publish()) }
            try await link.acknowledge(first[1], seq: 2)
            try await link.lose()
            let late = client.startPublishing(try JSON("5"), to: "lobby")
            let next = try await broker.welcome()
            var second: [Asked<PublishRequest>] = []
            for _ in 1...4 { second.append(try await next.publish()) }
            #expect(second.prefix(3).map(\.line) == [first[0].line, first[2].line, first[3].line])
            #expect(String(buffer: second[3].body.message) == "5")
            for (index, publish) in second.enumerated() {
                try await next.acknowledge(publish, seq: UInt64(index) + 3, isDuplicate: index == 0)
            }
            #expect(try await publishing[0].value().isDuplicate)
            #expect(try await publishing[1].value().seq == 2)
            #expect(try await late.value().seq == 6)
        }
    }

    @Test func `rooms are joined again before anything is published`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            _ = try await link.publish()
            try await link.lose()
            #expect(await broker.attemptsWaiting() == 1)
            let next = try await broker.welcome()
            #expect(await next.unreadKinds() == ["subscribe", "publish"])
            withExtendedLifetime((joining, publishing)) {}
        }
    }

    @Test func `a refusal that may pass is tried again when the broker says`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let first = try await link.publish()
            try await link.refuse(first, .rateLimited, retryAfter: 700)
            await broker.advance(.milliseconds(699))
            #expect(await link.unreadKinds() == [])
            await broker.advance(.milliseconds(1))
            let second = try await link.publish()
            #expect(second.line == first.line)
            try await link.acknowledge(second, seq: 1)
            #expect(try await publishing.value().seq == 1)
        }
    }

    @Test func `a refusal for good is thrown, and nothing else is disturbed`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let refused = client.startPublishing(try JSON("1"), to: "lobby")
            let stored = client.startPublishing(try JSON("2"), to: "lobby")
            try await link.refuse(link.publish(), .messageTooLarge)
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(await failure { try await refused.value() }?.code == .messageTooLarge)
            #expect(try await stored.value().seq == 1)
        }
    }

    @Test func `a refusal that passes too late is thrown`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            try await link.refuse(link.publish(), .rateLimited, retryAfter: 120_000)
            let error = await failure { try await publishing.value() }
            #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(120))
        }
    }

    @Test func `a publish is not tried without end`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.publishTimeout = .seconds(9) }
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let link = try await broker.accept()
            await broker.advance(.milliseconds(8_999))
            try await link.welcome(link.handshake())
            let publish = try await link.publish()
            await broker.advance(.milliseconds(1))
            let error = await failure { try await publishing.value() }
            #expect(error?.code == .timedOut && error?.isRetryable == false)
            try await link.acknowledge(publish, seq: 1)
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `no publish is tried for longer than the broker knows a repeat`() {
        var configuration = RoomClient.Configuration()
        configuration.publishTimeout = .seconds(3_600)
        #expect(configuration.publishTimeout == .seconds(540))
    }

    @Test func `an acknowledgement that is none is told`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let publish = try await link.publish()
            try await link.sendBytes(#"{"callback":\#(publish.callback ?? 0),"seq":1}"# + "\n")
            #expect(await failure { try await publishing.value() }?.code == .protocolViolation)
        }
    }

    @Test func `a socket that is full is not written to`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.makeWritable(false)
            let publishing = try (1...200).map { number in
                client.startPublishing(try JSON(#""\#(String(repeating: "x", count: 2_000))""#), to: "room-\(number)")
            }
            #expect(await link.unreadKinds() == [])
            try await link.makeWritable(true)
            for number in 1...200 { #expect(try await link.publish().body.room == RoomName("room-\(number)")) }
            withExtendedLifetime(publishing) {}
        }
    }
}
