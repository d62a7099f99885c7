import Foundation
import Logging
import NIOCore
import RoomCore
import RoomModel

@testable import RoomStore

/// All that a broker keeps, in a directory of its own, with the service that makes its backups.
struct BackupUnderTest {
    let parent: TemporaryDirectory
    let directory: DataDirectory
    let clock = ManualClock()
    let history: HistoryStore
    let control: ControlStore
    let service: BackupStore

    init(in parent: TemporaryDirectory? = nil) throws {
        struct Missing: Error {}
        let log = LogCollector()
        let clock = self.clock
        self.parent = try parent ?? TemporaryDirectory()
        self.directory = try DataDirectory(self.parent.file("data"), now: clock.now, logger: log.logger)
        self.history = try HistoryStore(self.directory.history, bootID: "boot", logger: log.logger, now: { clock.now })
        self.control = try ControlStore(self.directory.control, logger: log.logger, now: clock.now)
        let service = BackupStore(
            self.directory,
            history: self.history,
            control: self.control,
            logger: log.logger,
            now: { clock.now }
        )
        guard let service else { throw Missing() }
        self.service = service
    }

    var data: String { self.parent.file("data") }
    var backups: String { "\(self.data)/\(BackupStore.directoryName)" }

    func room(_ name: String = "room") async throws -> OpenRoom {
        let test = StoreUnderTest(directory: self.parent, clock: self.clock, log: LogCollector(), store: self.history)
        return try await test.open(name)
    }

    /// Fetches the backup, as a client does, into a new directory. Returns its path and its digests.
    func fetch(_ backup: StoredBackup, to name: String) async throws -> (path: String, digests: [String: String]) {
        let path = self.parent.file(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var digests: [String: String] = [:]
        for file in backup.files {
            var bytes = Data()
            let reading = try self.service.read(file.name, of: backup.id)
            while let piece = try await reading.next() { bytes.append(contentsOf: piece.readableBytesView) }
            try bytes.write(to: URL(filePath: "\(path)/\(file.name)"))
            digests[file.name] = try FileDigest.of("\(path)/\(file.name)").sha256
        }
        return (path, digests)
    }

    func close() async throws {
        await self.service.close()
        await self.history.close()
        try self.control.close()
        self.directory.close()
    }
}
