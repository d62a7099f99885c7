import Foundation
import GRDB

/// Looks into the `-wal` that a killed process left, before SQLite does.
///
/// SQLite takes the frames up to the first one whose checksum is wrong, and drops the rest without a word: that is how
/// it tells a commit that never ended. Whether frames are missing that were acknowledged, `LostCommits` decides.
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log)
struct WriteAheadLog {
    /// They name one round of the file, from one new beginning to the next.
    struct Salts: Equatable, Sendable {
        /// Where they are in the header.
        static let offset = 16
        static let length = 8

        let first: UInt32
        let second: UInt32

        init(first: UInt32, second: UInt32) {
            self.first = first
            self.second = second
        }

        init(_ bytes: UnsafeRawBufferPointer) {
            self.first = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
            self.second = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        }
    }

    struct Contents: Equatable {
        var salts: Salts
        /// The number of frames that SQLite takes: up to the end of the last transaction that is whole.
        var frames: UInt32 = 0
        /// The end of another transaction lies behind a frame that is not whole. It may be one that never ended, or
        /// damage.
        var hasCommitBehind = false
    }

    enum State: Equatable {
        /// There is no such file.
        case absent
        /// It has no frame.
        case empty
        case found(Contents)
        /// Its header is not what SQLite writes.
        case damaged

        var hasFrames: Bool { self != .absent && self != .empty }
    }

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    private let bytes: Data
    private let pageSize: Int
    private let isBigEndian: Bool

    /// Writes the file again as it is, and syncs that: after a sync that failed, what can be read may not be on the disk, and
    /// the next sync says nothing about it, because the system takes it for written. A process that was killed may have had such a
    /// sync.
    ///
    /// - Throws: SQLITE_IOERR.
    static func writeAgain(_ path: String) throws {
        let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return }
            throw Self.failure(.SQLITE_IOERR, path)
        }
        // It has none of SQLite's locks, which this would end.
        defer { Foundation.close(descriptor) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        var offset: off_t = 0
        while case let count = pread(descriptor, piece.baseAddress, piece.count, offset), count != 0 {
            guard count > 0, pwrite(descriptor, piece.baseAddress, count, offset) == count else {
                throw Self.failure(.SQLITE_IOERR_WRITE, path)
            }
            offset += off_t(count)
        }
        guard offset == 0 || PrivateFile.flush(descriptor) else { throw Self.failure(.SQLITE_IOERR_FSYNC, path) }
    }

    private static func failure(_ code: ResultCode, _ path: String) -> DatabaseError {
        DatabaseError(resultCode: code, message: "\(path): \(String(cString: strerror(errno)))")
    }

    static func state(_ path: String) throws -> State {
        guard FileManager.default.fileExists(atPath: path) else { return .absent }
        let bytes = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        guard bytes.count > Self.headerLength else { return .empty }
        guard let log = WriteAheadLog(bytes) else { return .damaged }
        return .found(log.contents())
    }

    /// `nil` where the header is not what SQLite writes.
    private init?(_ bytes: Data) {
        self.bytes = bytes
        let magic = Self.word(bytes, at: 0)
        self.pageSize = Int(Self.word(bytes, at: 8))
        self.isBigEndian = magic & 1 == 1
        guard magic & ~1 == 0x377f_0682, self.pageSize >= 512 else { return nil }
        var checksum = Checksum()
        self.add(0..<24, to: &checksum)
        guard checksum.isEqual(to: Self.word(bytes, at: 24), Self.word(bytes, at: 28)) else { return nil }
    }

    private func contents() -> Contents {
        var checksum = Checksum(first: Self.word(self.bytes, at: 24), second: Self.word(self.bytes, at: 28))
        var contents = Contents(
            salts: Salts(first: Self.word(self.bytes, at: 16), second: Self.word(self.bytes, at: 20))
        )
        var isBad = false
        var number: UInt32 = 0
        var start = Self.headerLength
        while start + Self.frameHeaderLength + self.pageSize <= self.bytes.count {
            number += 1
            // Frames of an earlier round, not yet overwritten, have other salts.
            let isOfThisLog = self.bytes[start + 8..<start + 16].elementsEqual(self.bytes[16..<24])
            let isCommit = Self.word(self.bytes, at: start + 4) != 0
            if isBad {
                contents.hasCommitBehind = contents.hasCommitBehind || isOfThisLog && isCommit
            } else {
                self.add(start..<start + 8, to: &checksum)
                let page = start + Self.frameHeaderLength
                self.add(page..<page + self.pageSize, to: &checksum)
                let isSound = checksum.isEqual(
                    to: Self.word(self.bytes, at: start + 16),
                    Self.word(self.bytes, at: start + 20)
                )
                // A bad frame that ends a transaction is one that was being written, or one of an earlier round.
                isBad = !isOfThisLog || !isSound
                if !isBad, isCommit { contents.frames = number }
            }
            start += Self.frameHeaderLength + self.pageSize
        }
        return contents
    }
    private func add(_ range: Range<Int>, to checksum: inout Checksum) {
        self.bytes.withUnsafeBytes { bytes in
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let second = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                if self.isBigEndian {
                    checksum.add(UInt32(bigEndian: first), UInt32(bigEndian: second))
                } else {
                    checksum.add(UInt32(littleEndian: first), UInt32(littleEndian: second))
                }
            }
        }
    }

    private static func word(_ bytes: Data, at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// SQLite's running checksum over pairs of words.
    private struct Checksum {
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ one: UInt32, _ two: UInt32) {
            self.first &+= one &+ self.second
            self.second &+= two &+ self.first
        }

        func isEqual(to first: UInt32, _ second: UInt32) -> Bool {
            self.first == first && self.second == second
        }
    }
}
