import Foundation
import Scaledrone
import Testing

/// Delegates that belong to the main actor, as an app's view controllers and view models do.
struct IsolatedDelegateTests {
    @MainActor
    final class Model: @MainActor ScaledroneDelegate, @MainActor ScaledroneRoomDelegate {
        private let scaledrone = Scaledrone(channelID: "default", url: "no broker", data: nil, delegateQueue: .main)
        private let told: AsyncStream<String>.Continuation
        private var room: ScaledroneRoom?

        init(told: AsyncStream<String>.Continuation) {
            self.told = told
            self.scaledrone.delegate = self
            self.scaledrone.connect()
        }

        func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) {
            self.room = scaledrone.subscribe(roomName: "lobby")
            self.room?.delegate = self
            self.told.yield("connected: \(error?.code ?? "fine")")
        }

        func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) {
            self.told.yield("\(room === self.room) \(room.name): \(error?.code ?? "fine")")
        }
    }

    @MainActor
    final class FormerModel: @preconcurrency ScaledroneDelegate {
        private let scaledrone = Scaledrone(channelID: "default", url: "no broker", data: nil, delegateQueue: .main)
        private let told: AsyncStream<String>.Continuation

        init(told: AsyncStream<String>.Continuation) {
            self.told = told
            self.scaledrone.delegate = self
            self.scaledrone.connect()
        }

        func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?) {
            self.told.yield("disconnected: \(error?.code ?? 0)")
        }
    }

    @MainActor
    @Test(.timeLimit(.minutes(5)))
    func `a main actor's delegate is called on the main actor`() async {
        let (events, told) = AsyncStream.makeStream(of: String.self)
        var feed = events.makeAsyncIterator()
        let model = Model(told: told)
        #expect(await feed.next() == "connected: invalid_url")
        #expect(await feed.next() == "true lobby: invalid_url")
        withExtendedLifetime(model) {}
    }

    @MainActor
    @Test(.timeLimit(.minutes(5)))
    func `so is one that conforms from before concurrency`() async {
        let (events, told) = AsyncStream.makeStream(of: String.self)
        var feed = events.makeAsyncIterator()
        let model = FormerModel(told: told)
        #expect(await feed.next() == "disconnected: 0")
        withExtendedLifetime(model) {}
    }
}
