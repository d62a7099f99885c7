import Foundation
import GRDB
import Logging
import Testing

@testable import RoomStore

@Suite
struct DataDirectoryTests {
    private let parent: TemporaryDirectory
    private let log = LogCollector()
    /// A minute after the ids of these tests.
    private static let now: Int64 = 1_763_697_660_000

    init() throws {
        self.parent = try TemporaryDirectory()
    }

    private func open() throws -> DataDirectory {
        try DataDirectory(self.parent.file("data"), now: Self.now, logger: self.log.logger)
    }

    @Test
    func `a new directory and its files are private`() throws {
        let directory = try self.open()
        #expect(try self.parent.permissions("data") == 0o700)
        #expect(try self.parent.permissions("data/lock") == 0o600)
        #expect(try self.parent.permissions("data/clock") == 0o600)
        #expect(try self.parent.permissions("data/reserve") == 0o600)
        #expect(directory.history == .file(self.parent.file("data/history.sqlite")))
        #expect(directory.control == .file(self.parent.file("data/control.sqlite")))
    }

    @Test
    func `a file is no data directory, and no place to restore into`() throws {
        let path = self.parent.file("data")
        try Data().write(to: URL(filePath: path))
        let error = DataDirectoryError(
            text: """
                cannot use the data directory \(path): Not a directory. Check its owner and permissions, or name another \
                with --data.
                """
        )
        #expect(throws: error) { try self.open() }
        #expect(throws: error) { try RestoreTarget(path) }
    }

    @Test
    func `the reserve takes its room on the disk until it is given up, and over a restart`() throws {
        let bytes = DiskReserve.bytes(onDiskOf: try DiskSpace.size(at: self.parent.path))
        func file() -> ReservedDisk.File? { ReservedDisk.file(in: self.parent.file("data")) }
        var directory = try self.open()
        #expect(try #require(file()).allocated >= bytes)
        #expect(directory.reserve.givesUp(after: DatabaseError(resultCode: .SQLITE_FULL)))
        #expect(file() == ReservedDisk.File(length: 0, allocated: 0))
        directory.close()
        directory = try self.open()
        #expect(try #require(file()).allocated >= bytes)
        #expect(!directory.reserve.isGivenUp)
        #expect(self.log.lines(.warning).isEmpty)
    }

    @Test
    func `something else with the name of the reserve keeps no broker from starting`() throws {
        let folder = self.parent.file("data/reserve/x")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(!(try self.open().reserve.isGivenUp))
    }

    @Test
    func `a second broker is refused with the path and the process of the first`() throws {
        let first = try self.open()
        let error = try #require(throws: DataDirectoryError.self) { try self.open() }
        #expect(error.text.contains(self.parent.file("data")))
        #expect(error.text.contains("process \(getpid())"))
        first.close()
        #expect(throws: Never.self) { try self.open() }
    }

    @Test
    func `who has a directory can be seen, or that it cannot be known`() throws {
        #expect(DataDirectory.use(of: self.parent.file("data")) == .nobody)
        let first = try self.open()
        #expect(DataDirectory.use(of: self.parent.file("data")) == .process(getpid()))
        first.close()
        #expect(DataDirectory.use(of: self.parent.file("data")) == .nobody)
        let lock = self.parent.file("data/lock")
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: lock)
        #expect(DataDirectory.use(of: self.parent.file("data")) == .notKnown)
        #expect(throws: DataDirectoryError.self) { try RestoreTarget.checkUnused(self.parent.file("data")) }
    }

    @Test
    func `a directory that is let go is free again`() throws {
        _ = try self.open()
        _ = try self.open()
    }

    @Test
    func `a file in the place of the directory is refused with its name`() throws {
        try Data().write(to: URL(filePath: self.parent.file("data")))
        let error = try #require(throws: DataDirectoryError.self) { try self.open() }
        #expect(error.text.contains(self.parent.file("data")))
    }

    @Test
    func `in memory nothing is written`() throws {
        let directory = try DataDirectory(DataDirectory.memory, now: Self.now, logger: self.log.logger)
        directory.clock.reserve(through: 5)
        #expect(directory.history == .memory)
        #expect(directory.control == .memory)
        #expect(try self.parent.files().isEmpty)
    }

    @Test
    func `the time of the newest id never goes back over a restart`() throws {
        var directory: DataDirectory? = try self.open()
        #expect(directory?.clock.initial == 0)
        directory?.clock.reserve(through: 1_763_697_600_000)
        directory?.clock.reserve(through: 1_763_697_599_000)
        directory = nil
        #expect(try self.open().clock.initial == 1_763_697_600_000)
    }

    @Test
    func `a time more than a day ahead of the clock is not followed, and the next one is`() throws {
        let (year2101, tomorrow) = (4_133_980_800_000 as Int64, Self.now + 86_400_000)
        try self.open().clock.reserve(through: tomorrow)
        #expect(try self.open().clock.initial == tomorrow)
        try self.open().clock.reserve(through: year2101)
        let directory = try self.open()
        #expect(directory.clock.initial == 0)
        #expect(self.log.lines(.warning).contains { $0.text.contains("more than a day ahead of the clock") })
        directory.clock.reserve(through: Self.now + 1)
        directory.close()
        #expect(try self.open().clock.initial == Self.now + 1)
        // a machine that does not know the time yet
        try self.open().close()
        let early = try DataDirectory(self.parent.file("data"), now: 60_000, logger: self.log.logger)
        #expect(early.clock.initial == Self.now + 1)
    }

    @Test(arguments: 0..<128)
    func `a flipped bit in the clock file is found`(bit: Int) throws {
        let directory = try self.open()
        directory.clock.reserve(through: Self.now)
        directory.close()
        let file = URL(filePath: self.parent.file("data/clock"))
        var bytes = try [UInt8](Data(contentsOf: file))
        #expect(bytes.count == 16)
        bytes[bit / 8] ^= 1 << (bit % 8)
        try Data(bytes).write(to: file)
        #expect(try self.open().clock.initial == 0)
        #expect(self.log.lines(.warning).contains { $0.text.contains("the file clock is damaged") })
    }

    @Test
    func `the clock file of an earlier version is read`() throws {
        try self.open().close()
        let bytes = withUnsafeBytes(of: (Self.now - 5).littleEndian) { Data($0) }
        try bytes.write(to: URL(filePath: self.parent.file("data/clock")))
        #expect(try self.open().clock.initial == Self.now - 5)
    }

    @Test(arguments: [[UInt8](), [1, 2, 3], [UInt8](repeating: 0xff, count: 8), [UInt8](repeating: 0x7f, count: 8)])
    func `a clock file that makes no sense counts as none`(_ bytes: [UInt8]) throws {
        try self.open().close()
        try Data(bytes).write(to: URL(filePath: self.parent.file("data/clock")))
        #expect(try self.open().clock.initial == 0)
    }
}
