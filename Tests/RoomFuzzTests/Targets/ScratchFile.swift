import Foundation

/// A directory in memory for the parsers that read files; one for each process.
enum ScratchFile {
    static let folder: String = {
        let memory = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let folder = "\(base)/roomline-fuzz-\(getpid())"
        // Without it nothing can be written, and each input fails.
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: ScratchFile.folder) }
        return folder
    }()

    static func write(_ bytes: UnsafeRawBufferPointer, as name: String) throws -> String {
        let path = "\(self.folder)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, Foundation.write(file, bytes.baseAddress, bytes.count) == bytes.count else {
            throw BrokenInvariant(description: "\(path) cannot be written")
        }
        return path
    }
}
