import Foundation

/// A directory of its own for one test, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appending(path: "roomline-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed is the temporary directory's to clean up.
        try? FileManager.default.removeItem(atPath: self.path)
    }

    func file(_ name: String) -> String { self.path + "/" + name }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.path).sorted()
    }

    /// Overwrites bytes of a file.
    func damage(_ name: String, at offset: UInt64, with bytes: [UInt8] = [UInt8](repeating: 0xa5, count: 64)) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: self.file(name)))
        defer { try? handle.close() }
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: bytes)
    }

    func size(_ name: String) throws -> UInt64 {
        try FileManager.default.attributesOfItem(atPath: self.file(name))[.size] as? UInt64 ?? 0
    }

    func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: self.file(name))[.posixPermissions] as? Int
    }

    /// The history file and what belongs to it as a process that is killed now would leave them.
    func copyHistory(to other: TemporaryDirectory, without missing: String? = nil) throws {
        for suffix in ["", "-wal", "-commits"] where suffix != missing {
            let name = "history.sqlite" + suffix
            try FileManager.default.copyItem(atPath: self.file(name), toPath: other.file(name))
        }
    }
}
