import RoomControl
import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// What becomes of the logs of a channel that goes, or keeps no history any more.
struct ChannelLogsTests {
    private static let caller = AdminCaller(actor: "uid:0", origin: "unix")

    @Test func `a channel that goes leaves no room behind whose first message was on its way to the store`()
        async throws
    {
        let bench = try ControlBench([.make("talk")])
        let id = try #require(ChannelID("talk"))
        try await bench.registry.delete(id, if: .any, by: Self.caller)
        // without rooms, the first one waits for such messages
        #expect(bench.engine.calls == [.clear, .rooms, .clear])
    }

    @Test func `nor does one whose history is turned off`() async throws {
        let bench = try ControlBench([.make("talk")])
        let id = try #require(ChannelID("talk"))
        _ = try await bench.registry.change(id, if: .any, by: Self.caller, details: "{}") {
            (_) throws(ControlError) in .make("talk", history: nil)
        }
        #expect(bench.engine.calls.suffix(3) == [.clear, .rooms, .clear])
    }
}
