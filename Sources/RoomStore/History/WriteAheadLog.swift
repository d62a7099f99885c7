import Foundation

/// Looks into the `-wal` that a killed process left, before SQLite does.
///
/// SQLite takes the frames up to the first one whose checksum is wrong, and drops the rest without a word: that is how
/// it tells a commit that never ended. But where a *committed* frame of the same log lies behind the bad one, the file
/// was damaged and acknowledged messages are missing. Their `seq` must not be given out again as if nothing had
/// happened. (https://www.sqlite.org/fileformat2.html#the_write_ahead_log)
struct WriteAheadLog {
    enum State {
        /// There is no such file.
        case absent
        case sound
        /// Committed transactions in it cannot be read any more.
        case damaged
    }

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    private let bytes: Data
    private let pageSize: Int
    private let isBigEndian: Bool

    static func state(_ path: String) throws -> State {
        guard FileManager.default.fileExists(atPath: path) else { return .absent }
        let bytes = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        guard bytes.count > Self.headerLength else { return .sound }
        guard let log = WriteAheadLog(bytes) else { return .damaged }
        return log.hasCommitBehindBadFrame() ? .damaged : .sound
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

    private func hasCommitBehindBadFrame() -> Bool {
        var checksum = Checksum(first: Self.word(self.bytes, at: 24), second: Self.word(self.bytes, at: 28))
        var isBad = false
        var start = Self.headerLength
        while start + Self.frameHeaderLength + self.pageSize <= self.bytes.count {
            // Frames of an earlier round, not yet overwritten, have other salts.
            let isOfThisLog = self.bytes[start + 8..<start + 16].elementsEqual(self.bytes[16..<24])
            let isCommit = Self.word(self.bytes, at: start + 4) != 0
            if isBad {
                if isOfThisLog && isCommit { return true }
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
            }
            start += Self.frameHeaderLength + self.pageSize
        }
        return false
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
