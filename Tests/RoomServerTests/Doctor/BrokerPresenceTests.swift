import Foundation
import Logging
import RoomStore
import Testing

@testable import RoomServer

@Suite struct BrokerPresenceTests {
    @Test func `a process that is no roomline is not taken for the broker`() throws {
        let file = try TemporaryFile("")
        let path = file.path + ".data"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(BrokerPresence.of(path) == .none)
        let directory = try DataDirectory(path, now: 0, logger: Logger(label: "test"))
        // This process has the lock, and its number is in it.
        #expect(BrokerPresence.of(path) == .runs(process: nil))
        directory.close()
        #expect(BrokerPresence.of(path) == .none)
    }
}
