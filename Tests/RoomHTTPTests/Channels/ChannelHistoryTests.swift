import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomHTTP

/// What becomes of the logs of a channel whose history is turned on and off.
@Suite struct ChannelHistoryTests {
    private let log = RoomKey.make("log-1", channel: "talk")
    private let chat = RoomKey.make("chat", channel: "talk")

    private func bench(_ settings: ChannelSettings) async throws -> AdminBench {
        let bench = try AdminBench([settings])
        for room in [self.log, self.chat, .make("chat", channel: "other")] {
            let retention = HistorySettings(count: 9)
            await withCheckedContinuation { continuation in
                bench.engine.open(room, retention: retention, keysSince: 0, for: .broker) { _ in
                    continuation.resume()
                }
            }
        }
        return bench
    }

    private func change(_ bench: AdminBench, _ patch: String) async throws {
        let answer = try await bench.call(.PATCH, "channels/talk", patch)
        #expect(answer.status == .ok, "\(answer.text)")
    }

    @Test func `turned off, all logs of the channel are cleared and no other's`() async throws {
        let bench = try await self.bench(.make("talk"))
        let other = bench.engine.epoch(of: .make("chat", channel: "other"))
        try await self.change(bench, #"{"history":null}"#)
        #expect(bench.engine.epoch(of: self.log) == nil)
        #expect(bench.engine.epoch(of: self.chat) == nil)
        #expect(bench.engine.epoch(of: .make("chat", channel: "other")) == other)
    }

    @Test func `a rule that turns some rooms off clears those`() async throws {
        let bench = try await self.bench(.make("talk"))
        let epoch = bench.engine.epoch(of: self.chat)
        try await self.change(bench, #"{"history_rules":[{"pattern":"^log-","history":null}]}"#)
        #expect(bench.engine.epoch(of: self.log) == nil)
        #expect(bench.engine.epoch(of: self.chat) == epoch)
    }

    @Test func `another count or age clears nothing`() async throws {
        let bench = try await self.bench(.make("talk"))
        let epochs = [self.log, self.chat].map(bench.engine.epoch)
        try await self.change(bench, #"{"history":{"count":1}}"#)
        #expect([self.log, self.chat].map(bench.engine.epoch) == epochs)
    }

    @Test func `turned on, what an interrupted end has left is cleared before`() async throws {
        let bench = try await self.bench(.make("talk", history: nil))
        try await self.change(bench, #"{"history":{"count":1}}"#)
        #expect(bench.engine.epoch(of: self.chat) == nil)
    }

    @Test func `without the engine it is not turned on, but it is turned off`() async throws {
        let off = try await self.bench(.make("talk", history: nil))
        off.engine.failNext(.clear, .unavailable)
        #expect(try await off.call(.PATCH, "channels/talk", #"{"history":{"count":1}}"#).status == .serviceUnavailable)
        #expect(try off.directory.channels()[0].version == 1)

        let on = try await self.bench(.make("talk"))
        on.engine.failNext(.clear, .unavailable)
        try await self.change(on, #"{"history":null}"#)
        #expect(on.engine.epoch(of: self.chat) != nil)
        try await self.change(on, #"{"history":{"count":1}}"#)
        #expect(on.engine.epoch(of: self.chat) == nil)
    }

    @Test func `a channel that is deleted takes its logs with it, or leaves none for the next of its name`()
        async throws
    {
        let bench = try await self.bench(.make("talk"))
        bench.engine.failNext(.clear, .unavailable)
        #expect(try await bench.call(.DELETE, "channels/talk").status == .noContent)
        #expect(bench.engine.epoch(of: self.chat) != nil)
        #expect(try await bench.call(.POST, "channels", #"{"id":"talk","history":{}}"#).status == .created)
        #expect(bench.engine.epoch(of: self.chat) == nil)
        #expect(try await bench.call(.DELETE, "channels/talk").status == .noContent)
        #expect(bench.engine.epoch(of: self.chat) == nil)
    }

    @Test func `changes at the same time are made one after the other`() async throws {
        let bench = try AdminBench()
        await withTaskGroup { group in
            for count in 1...20 {
                group.addTask {
                    let answer = try? await bench.call(.PATCH, "channels/talk", #"{"members_listed":\#(count)}"#)
                    #expect(answer?.status == .ok)
                }
            }
        }
        let told = bench.rooms.state.withLockedValue { $0.changed.map(\.settings.membersListed) }
        #expect(told.count == 20)
        #expect(try bench.directory.channels()[0].version == 21)
        #expect(try bench.directory.channels()[0].settings.membersListed == told.last)
    }
}
