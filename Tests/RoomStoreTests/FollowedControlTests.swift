import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomStore

/// The control file of a node of a cluster.
struct FollowedControlTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()
    private let node = NodeNumber(rawValue: 3)

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func open() throws -> ControlStore {
        try ControlStore(.file(self.directory.file("control.sqlite")), logger: self.log.logger, now: 5)
    }

    private func create(_ id: String) -> ControlChange {
        .create(ChannelSettings.make(id), ChannelSecret(text: "s"), .make("channel.create", target: id))
    }

    private func place(_ number: UInt64) -> LogOffset { LogOffset(rawValue: number) }

    @Test func `a change is made once, and its place is known after a restart`() throws {
        let store = try self.open()
        #expect(try store.follow("chat") == nil)
        let made = try store.make(self.create("a"), 1, of: self.node, at: self.place(7), time: 50)
        #expect(try made?.get().channel().settings.id.text == "a")
        // it was sent again
        #expect(try store.make(self.create("a"), 1, of: self.node, at: self.place(8), time: 50) == nil)
        #expect(try store.channels().count == 1)
        #expect(try store.allAudit().count == 1)
        try store.close()
        #expect(try self.open().follow("chat") == KnownRecord(place: self.place(8), time: 50))
    }

    @Test func `what speaks against a change is its outcome, and leaves nothing behind`() throws {
        let store = try self.open()
        _ = try store.follow("chat")
        _ = try store.make(self.create("a"), 1, of: self.node, at: self.place(1), time: 50)
        let again = try store.make(self.create("a"), 2, of: self.node, at: self.place(2), time: 50)
        guard case .failure(let error)? = again else {
            Issue.record("\(String(describing: again))")
            return
        }
        #expect(error.reason == .exists)
        #expect(try store.allAudit().count == 1)
        #expect(try store.follow("chat") == KnownRecord(place: self.place(2), time: 50))
    }

    @Test func `two files that make the same changes have the same numbers`() throws {
        let audit = AuditEntry.make("an.act", target: "b")
        let (settings, b) = (ChannelSettings.make("a", history: 3), try #require(ChannelID("b")))
        let changes: [ControlChange] = [
            self.create("a"), .note(audit), self.create("b"), .withdraw(2), .update(settings, ifVersion: 1, audit),
            .delete(b, ifVersion: 99, audit), .delete(b, ifVersion: nil, audit), self.create("b"),
        ]
        let other = try TemporaryDirectory()
        let files = [self.directory.file("control.sqlite"), other.file("control.sqlite")]
        let stores = try files.map { try ControlStore(.file($0), logger: self.log.logger, now: 5) }
        for store in stores {
            _ = try store.follow("chat")
            for (index, change) in changes.enumerated() {
                _ = try store.make(
                    change,
                    UInt64(index + 1),
                    of: self.node,
                    at: self.place(UInt64(index + 1)),
                    time: 50
                )
            }
        }
        #expect(try stores[0].channels().map(\.version) == stores[1].channels().map(\.version))
        #expect(try stores[0].allAudit() == stores[1].allAudit())
        #expect(try stores[0].channels().map(\.settings.id.text) == ["a", "b"])
    }

    @Test func `the file of a broker that runs alone, or of another cluster, is refused`() throws {
        let store = try self.open()
        try store.ensure([ChannelSettings.make("a")])
        let alone = #expect(throws: ChannelDirectoryError.self) { try store.follow("chat") }
        #expect(alone?.text.contains("runs alone: start the node with an empty data directory") == true)
        let other = try ControlStore(.memory, logger: self.log.logger, now: 5)
        _ = try other.follow("chat")
        let wrong = #expect(throws: ChannelDirectoryError.self) { try other.follow("talk") }
        #expect(wrong?.text.contains("follows the cluster chat") == true)
    }
}
