import Foundation

/// The file in which `ClockFloor` keeps the highest Unix millisecond of ids: two little-endian numbers of 8 bytes, the time and its
/// XXH64 (seed 0). Earlier versions wrote the time alone.
enum ClockFile {
    enum Contents: Equatable {
        /// Nothing was written yet.
        case none
        case damaged
        case time(Int64)
    }

    static let length = 16
    private static let lengthBefore = 8

    /// A time beyond what a UUIDv7 can hold was not written by us.
    private static let range: ClosedRange<Int64> = 0...(1 << 48 - 1)

    static func bytes(_ milliseconds: Int64) -> [UInt8] {
        let time = withUnsafeBytes(of: milliseconds.littleEndian) { Array($0) }
        return time + withUnsafeBytes(of: self.checksum(time).littleEndian) { Array($0) }
    }

    static func contents(of bytes: [UInt8]) -> Contents {
        if bytes.isEmpty { return .none }
        guard [self.lengthBefore, self.length].contains(bytes.count) else { return .damaged }
        let time = Array(bytes.prefix(self.lengthBefore))
        if bytes.count == self.length, self.bytes(self.number(time)) != bytes { return .damaged }
        let milliseconds = self.number(time)
        return self.range.contains(milliseconds) ? .time(milliseconds) : .damaged
    }

    static func write(_ milliseconds: Int64, to path: String) throws {
        try Data(self.bytes(milliseconds)).write(to: URL(filePath: path))
        try PrivateFile.sync(path)
    }

    /// `nil` where that is no such file.
    static func read(_ path: String) throws -> Int64? {
        if case .time(let milliseconds) = self.contents(of: Array(try Data(contentsOf: URL(filePath: path)))) {
            return milliseconds
        }
        return nil
    }

    private static func number(_ bytes: [UInt8]) -> Int64 {
        bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { BatchChecksum.xxh64($0, seed: 0) }
    }
}
