import Foundation
import RoomTestKit
import Scaledrone
import Testing

/// Code that was written for Scaledrone, in the shape of its public tutorial, against the broker.
@MainActor
@Suite(.timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct MigrationTests {
    private static let luke = ChatMember(name: "Luke", color: "#2e7d32")
    private static let leia = ChatMember(name: "Leia", color: "#1565c0")

    @Test
    func `two chat services of the tutorial's kind talk to each other`() async throws {
        try await Network.with { network in
            let (messages, received) = AsyncStream.makeStream(of: ChatMessage.self)
            let (members, listed) = AsyncStream.makeStream(of: [ChatMember].self)
            var (messageFeed, memberFeed) = (messages.makeAsyncIterator(), members.makeAsyncIterator())
            let luke = ChatService(
                member: Self.luke,
                url: network.url,
                onMessage: { received.yield($0) },
                onMembers: { listed.yield($0) }
            )
            #expect(await memberFeed.next() == [Self.luke])
            luke.send("hello, is anybody here?")
            #expect(await messageFeed.next() == ChatMessage(sender: Self.luke, text: "hello, is anybody here?"))

            let (answers, answered) = AsyncStream.makeStream(of: ChatMessage.self)
            var answerFeed = answers.makeAsyncIterator()
            let leia = ChatService(
                member: Self.leia,
                url: network.url,
                onMessage: { answered.yield($0) },
                onMembers: { _ in }
            )
            #expect(await memberFeed.next() == [Self.luke, Self.leia])
            #expect(await answerFeed.next() == ChatMessage(sender: Self.luke, text: "hello, is anybody here?"))
            leia.send("I am. Is that you, Luke?")
            #expect(await messageFeed.next() == ChatMessage(sender: Self.leia, text: "I am. Is that you, Luke?"))
            leia.leave()
            #expect(await memberFeed.next() == [Self.luke])
            withExtendedLifetime(luke) {}
        }
    }

    @Test
    func `a chat service for version 0.3 works as it is`() async throws {
        try await Network.with { network in
            let (events, told) = AsyncStream.makeStream(of: String.self)
            var feed = events.makeAsyncIterator()
            let chat = FormerChatService(
                member: Self.leia,
                url: network.url,
                onConnect: { told.yield("connected") },
                onMessage: { told.yield("\($0.sender.name) (\($0.sender.color)): \($0.text)") },
                onTyping: { told.yield("\($0.name) types: \($1)") }
            )
            #expect(await feed.next() == "connected")
            chat.type(true)
            chat.type(false)
            chat.send("hello")
            #expect(await feed.next() == "Leia types: true")
            #expect(await feed.next() == "Leia types: false")
            #expect(await feed.next() == "Leia (#1565c0): hello")
        }
    }
}
