import Foundation
import GRDB
import GRDBSQLite
import Logging
import RoomCore
import Testing

@testable import RoomModel
@testable import RoomStore

@Suite
struct ControlStoreTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func open(mayBegin: Bool = true) throws -> ControlStore {
        try ControlStore(
            .file(self.directory.file("control.sqlite")),
            logger: self.log.logger,
            now: 1_763_697_600_000,
            mayBegin: mayBegin
        )
    }

    private func filled() throws -> [ChannelSettings] {
        let channels = [
            ChannelSettings(id: try .make("a"), history: nil, durability: .process, grace: .milliseconds(1_500)),
            ChannelSettings(
                id: try .make("b"),
                history: HistorySettings(count: 7, age: .seconds(90)),
                durability: .power,
                grace: .zero
            ),
        ]
        let store = try self.open()
        try store.ensure(channels.reversed())
        try store.close()
        return channels
    }

    @Test
    func `channels are read back by id`() throws {
        let channels = try self.filled()
        #expect(try self.open().channels().map(\.settings) == channels)
    }

    @Test
    func `channels are kept in memory`() throws {
        let store = try ControlStore(.memory, logger: self.log.logger, now: 0)
        try store.ensure([ChannelSettings(id: .make("a"))])
        #expect(try store.channels().map(\.settings) == [ChannelSettings(id: .make("a"))])
    }

    @Test
    func `ensuring a channel changes its settings and leaves the others`() throws {
        var channels = try self.filled()
        channels[0].history = HistorySettings(count: 3)
        let store = try self.open()
        try store.ensure([channels[0]])
        #expect(try store.channels().map(\.settings) == channels)
    }

    @Test(arguments: [0, 40, 4_096])
    func `a damaged file is replaced by its backup`(_ offset: Int) throws {
        let channels = try self.filled()
        try self.directory.damage(
            "control.sqlite",
            at: UInt64(offset),
            with: [UInt8](repeating: 0xa5, count: 4_096)
        )
        #expect(try self.open().channels().map(\.settings) == channels)
        #expect(self.log.lines(.critical).count == 1)
        #expect(try self.directory.files().contains("control.sqlite.corrupt-2025-11-21T040000Z"))
    }

    @Test
    func `an empty file is replaced by its backup`() throws {
        let channels = try self.filled()
        try Data().write(to: URL(filePath: self.directory.file("control.sqlite")))
        #expect(try self.open().channels().map(\.settings) == channels)
        #expect(self.log.lines(.critical).count == 1)
    }

    @Test
    func `a missing file is replaced by its backup`() throws {
        let channels = try self.filled()
        try FileManager.default.removeItem(atPath: self.directory.file("control.sqlite"))
        #expect(try self.open().channels().map(\.settings) == channels)
        #expect(self.log.lines(.critical).count == 1)
    }

    @Test
    func `a missing file without a backup is begun only where that is allowed`() throws {
        let error = try #require(throws: ChannelDirectoryError.self) { try self.open(mayBegin: false) }
        #expect(error.text.contains("--accept-lost-channels"), "\(error.text)")
        #expect(try self.directory.files().isEmpty)
        #expect(try self.open(mayBegin: true).channels().isEmpty)
    }

    @Test
    func `a file that was replaced is not changed any more`() throws {
        let channels = try self.filled()
        let store = try self.open()
        let path = self.directory.file("control.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try Data("another".utf8).write(to: URL(filePath: path))
        let error = try #require(throws: ChannelDirectoryError.self) {
            try store.ensure([ChannelSettings(id: .make("c"), history: nil, durability: .process, grace: .zero)])
        }
        #expect(error.text.contains("replaced by another file"), "\(error.text)")
        #expect(try store.channels().map(\.settings) == channels)
    }

    @Test(arguments: [false, true])
    func `a file that is moved away is missed, and welcome back`(isReplaced: Bool) throws {
        _ = try self.filled()
        let store = try self.open()
        let path = self.directory.file("control.sqlite")
        store.look()
        #expect(store.isInPlace)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        if isReplaced { try FileManager.default.copyItem(atPath: path + ".away", toPath: path) }
        for _ in 0..<3 { store.look() }
        #expect(!store.isInPlace)
        #expect(self.log.lines(.error).map(\.text) == ["the control file cannot be changed"])
        if isReplaced { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        for _ in 0..<3 { store.look() }
        #expect(store.isInPlace)
        #expect(self.log.lines(.notice).map(\.text) == ["the control file can be changed again"])
        try store.ensure([ChannelSettings(id: .make("c"), history: nil, durability: .process, grace: .zero)])
    }

    @Test
    func `a backup that cannot be made does not hinder the start`() throws {
        let channels = try self.filled()
        let backup = self.directory.file("control.sqlite.backup")
        try FileManager.default.removeItem(atPath: backup)
        try FileManager.default.createDirectory(atPath: backup + "/occupied", withIntermediateDirectories: true)
        #expect(try self.open().channels().map(\.settings) == channels)
        #expect(self.log.lines(.critical).map(\.text) == ["the backup of the control file could not be made"])
    }

    @Test
    func `a damaged file without a sound backup is refused and left alone`() throws {
        _ = try self.filled()
        for name in ["control.sqlite", "control.sqlite.backup"] {
            try self.directory.damage(name, at: 0)
        }
        let error = try #require(throws: ChannelDirectoryError.self) { try self.open() }
        #expect(error.text.contains(self.directory.file("control.sqlite")))
        #expect(error.text.contains(self.directory.file("control.sqlite.backup")))
        #expect(try self.directory.files() == ["control.sqlite", "control.sqlite.backup"])
    }

    @Test
    func `a damaged file without a backup is refused`() throws {
        try Data("rubbish, but not a database".utf8).write(to: URL(filePath: self.directory.file("control.sqlite")))
        #expect(throws: ChannelDirectoryError.self) { try self.open() }
    }

    @Test
    func `a damaged backup is renewed at the next start`() throws {
        let channels = try self.filled()
        try self.directory.damage("control.sqlite.backup", at: 0)
        #expect(try self.open().channels().map(\.settings) == channels)
        try FileManager.default.removeItem(atPath: self.directory.file("control.sqlite"))
        #expect(try self.open().channels().map(\.settings) == channels)
    }

    @Test
    func `a long audit log is not kept in memory`() throws {
        let store = try self.open()
        let details = #"{"reason":"\#(String(repeating: "a", count: 1_000))"}"#
        try store.write { db in for _ in 0..<2_500 { try AuditEntry.make(details: details).insert(db) } }
        try store.close()
        let again = try self.open()
        let cached = try again.read { db in
            var (cached, highest): (CInt, CInt) = (0, 0)
            sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_USED, &cached, &highest, 0)
            return Int(cached)
        }
        let size = try Data(contentsOf: URL(filePath: self.directory.file("control.sqlite"))).count
        #expect(size > 2_000_000)
        #expect((1...500_000).contains(cached))
    }

    @Test
    func `the files are private`() throws {
        _ = try self.filled()
        #expect(try self.directory.files() == ["control.sqlite", "control.sqlite.backup"])
        for name in try self.directory.files() {
            #expect(try self.directory.permissions(name) == 0o600)
        }
    }
}

extension ChannelID {
    static func make(_ text: String) throws -> ChannelID {
        try #require(ChannelID(text))
    }
}
