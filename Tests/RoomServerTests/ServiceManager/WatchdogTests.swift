import NIOCore
import NIOEmbedded
import Testing

@testable import RoomServer

@Suite struct WatchdogTests {
    @Test func `it says nothing while one event loop stands still`() {
        let loops = [EmbeddedEventLoop(), EmbeddedEventLoop()]
        var isDone = false
        Watchdog.turn(of: loops).assumeIsolated().whenSuccess { isDone = true }
        loops[0].run()
        #expect(!isDone)
        loops[1].run()
        loops[0].run()
        #expect(isDone)
    }
}
