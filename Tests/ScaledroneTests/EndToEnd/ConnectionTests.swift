import Foundation
import RoomTestKit
import Scaledrone
import Testing

@Suite(.timeLimit(.minutes(5)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct ConnectionTests {
    @Test
    func `a lost connection comes back without a word, and nothing is missing`() async throws {
        try await Network.with { network in
            let witness = Witness(rooms: "lobby")
            let (luke, leia) = (network.client("Luke", of: witness), network.client("Leia", of: Witness()))
            luke.connect()
            leia.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            leia.publish(message: "before", room: "lobby")
            #expect(await witness.next() == .message("before", from: nil))
            try await network.takeDown()
            leia.publish(message: "meanwhile", room: "lobby")
            try await network.bringBack()
            leia.publish(message: "after", room: "lobby")
            #expect(
                await witness.next(2) == [.message("meanwhile", from: nil), .message("after", from: nil)]
            )
            luke.publish(message: "me, too", room: "lobby")
            #expect(await witness.next() == .message("me, too", from: nil))
        }
    }

    @Test
    func `who came and went in the meantime is told as a difference`() async throws {
        try await Network.with { network in
            let witness = Witness()
            let luke = network.client("Luke", of: witness)
            let leia = network.client("Leia", of: Witness(rooms: "observable-lobby"))
            let room = witness.subscribe(to: "observable-lobby", with: luke)
            luke.connect()
            await witness.wait(for: .members(["Luke"]))
            leia.connect()
            await witness.wait(for: .joined("Leia"))
            let former = luke.clientID
            try await network.takeDown()
            try await network.bringBack()
            // To a broker that was started anew everybody is new.
            let events = await witness.next(4)
            #expect(Set(events.prefix(2)) == [.left("Luke"), .left("Leia")])
            #expect(Set(events.suffix(2)) == [.joined("Luke"), .joined("Leia")])
            #expect(Set(room.members.map(\.name)) == ["Luke", "Leia"])
            #expect(luke.clientID != former)
        }
    }

    @Test
    func `a client whose connection ends is gone at once, and misses nothing when it comes back`() async throws {
        try await Network.with { network in
            let watcher = Witness(rooms: "observable-lobby")
            let leia = network.client("Leia", of: watcher, isDirect: true)
            leia.connect()
            await watcher.wait(for: .members(["Leia"]))
            let witness = Witness(rooms: "observable-lobby")
            let luke = network.client("Luke", of: witness)
            luke.connect()
            #expect(await watcher.next() == .joined("Luke"))
            await witness.wait(for: .members(["Leia", "Luke"]))
            let former = luke.clientID
            // a killed app that is started again is there once
            try await network.cut { #expect(await watcher.next() == .left("Luke")) }
            leia.publish(message: "meanwhile", room: "observable-lobby")
            #expect(Set(await watcher.next(2)) == [.joined("Luke"), .message("meanwhile", from: "Leia")])
            await witness.wait(for: .message("meanwhile", from: "Leia"))
            #expect(luke.clientID != former)
        }
    }

    @Test
    func `a broker that cannot be reached at first is told once and waited for`() async throws {
        try await Network.with { network in
            try await network.takeDown()
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness)
            witness.subscribe(to: "lobby", with: scaledrone)
            scaledrone.connect()
            scaledrone.publish(message: "hello", room: "lobby")
            guard case .failed(_, room: nil) = await witness.next() else {
                Issue.record("the app is not told that the broker cannot be reached")
                return
            }
            #expect(scaledrone.clientID == "")
            try await network.bringBack()
            #expect(
                await witness.next(3) == [
                    .connected(nil), .roomConnected("lobby", nil), .message("hello", from: nil),
                ]
            )
        }
    }

    @Test
    func `disconnecting sends what was published, leaves, and says so`() async throws {
        try await Network.with { network in
            let watcher = Witness(rooms: "observable-lobby")
            let leia = network.client("Leia", of: watcher)
            leia.connect()
            await watcher.wait(for: .members(["Leia"]))
            let witness = Witness(rooms: "observable-lobby")
            let luke = network.client("Luke", of: witness)
            luke.connect()
            await witness.wait(for: .members(["Leia", "Luke"]))
            #expect(await watcher.next() == .joined("Luke"))
            for number in 0..<50 { luke.publish(message: "bye \(number)", room: "observable-lobby") }
            luke.disconnect()
            #expect(
                Set(await watcher.next(51))
                    == Set((0..<50).map { .message("bye \($0)", from: "Luke") } + [.left("Luke")])
            )
            await witness.wait(for: .disconnected(nil))

            luke.publish(message: "nobody hears this", room: "lobby")
            #expect(await witness.next() == .failed("not_connected", room: "lobby"))
        }
    }

    @Test
    func `a client that has disconnected connects again`() async throws {
        try await Network.with { network in
            let witness = Witness(rooms: "lobby")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            scaledrone.connect()
            #expect(await witness.next(2) == [.connected(nil), .roomConnected("lobby", nil)])
            scaledrone.disconnect()
            scaledrone.disconnect()
            scaledrone.connect()
            #expect(
                await witness.next(3) == [.disconnected(nil), .connected(nil), .roomConnected("lobby", nil)]
            )
            scaledrone.publish(message: "hello again", room: "lobby")
            #expect(await witness.next() == .message("hello again", from: nil))
        }
    }

    @Test
    func `with the last reference the connection ends`() async throws {
        try await Network.with { network in
            let watcher = Witness(rooms: "observable-lobby")
            let leia = network.client("Leia", of: watcher)
            leia.connect()
            await watcher.wait(for: .members(["Leia"]))
            let witness = Witness(rooms: "observable-lobby")
            var luke: Scaledrone? = Scaledrone(channelID: "default", url: network.url, data: "Luke")
            luke?.delegate = witness
            luke?.connect()
            #expect(await watcher.next() == .joined("Luke"))
            await witness.wait(for: .members(["Leia", "Luke"]))
            let last = { [weak luke] in luke }
            luke = nil
            #expect(await watcher.next() == .left("Luke"))
            #expect(last() == nil)
        }
    }

    @Test
    func `a room keeps its client alive`() async throws {
        try await Network.with { network in
            let witness = Witness()
            let room = witness.subscribe(
                to: "lobby",
                with: Scaledrone(channelID: "default", url: network.url, data: "Luke")
            )
            room.scaledrone.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            room.publish(message: "hello")
            #expect(await witness.next() == .message("hello", from: nil))
        }
    }

    @Test
    func `delegates are not kept alive`() async throws {
        let scaledrone = Scaledrone(channelID: "default", data: nil)
        let room = scaledrone.subscribe(roomName: "lobby")
        var witness: Witness? = Witness()
        scaledrone.delegate = witness
        scaledrone.authenticateDelegate = witness
        room.delegate = witness
        room.observableDelegate = witness
        #expect(scaledrone.delegate === witness)
        witness = nil
        #expect(scaledrone.delegate == nil && scaledrone.authenticateDelegate == nil)
        #expect(room.delegate == nil && room.observableDelegate == nil)
    }

    @Test
    func `delegates are called in order on the queue of the app's choice`() async throws {
        try await Network.with { network in
            let key = DispatchSpecificKey<Bool>()
            let queue = DispatchQueue(label: "app", attributes: .concurrent)
            queue.setSpecific(key: key, value: true)
            let (calls, called) = AsyncStream.makeStream(of: (Int?, Bool).self)
            let scaledrone = Scaledrone(channelID: "default", url: network.url, data: nil, delegateQueue: queue)
            let delegate = MessageTaker { called.yield(($0.data as? Int, DispatchQueue.getSpecific(key: key) == true)) }
            scaledrone.subscribe(roomName: "lobby").delegate = delegate
            scaledrone.connect()
            for number in 0..<200 { scaledrone.publish(message: number, room: "lobby") }
            var feed = calls.makeAsyncIterator()
            for number in 0..<200 {
                let (message, isOnQueue) = try #require(await feed.next())
                #expect(message == number)
                #expect(isOnQueue)
            }
        }
    }
}
