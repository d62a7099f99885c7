import Foundation

/// The 8 bytes in which `ClockFloor` keeps the highest Unix millisecond of ids, as a file of a backup.
enum ClockFile {
    static func write(_ milliseconds: Int64, to path: String) throws {
        let bytes = withUnsafeBytes(of: milliseconds.littleEndian) { Data($0) }
        try bytes.write(to: URL(filePath: path))
        try PrivateFile.sync(path)
    }

    /// `nil` where that is no such file.
    static func read(_ path: String) throws -> Int64? {
        let bytes = try Data(contentsOf: URL(filePath: path))
        guard bytes.count == MemoryLayout<Int64>.size else { return nil }
        let value = bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        return ClockFloor.range.contains(value) ? value : nil
    }
}
