import Foundation
import RoomModel

@testable import RoomStore

/// The `-wal` and the record of its commits: any bytes are read without harm; of a file that is built by the bytes as SQLite
/// would write it, exactly the whole transactions before the first damage are found; a record is read as it was written.
enum CommitsFuzz: FuzzTarget {
    static let name = "commits"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let state = try WriteAheadLog.state(try ScratchFile.write(bytes, as: "any-wal"))
        if case .found(let log) = state {
            try demand(Int(log.frames) * 536 <= bytes.count, "\(log.frames) frames in \(bytes.count) bytes")
        }
        let record = try self.checkRecord(bytes)
        try self.checkBuilt(bytes, record)
    }

    private static func checkRecord(_ bytes: UnsafeRawBufferPointer) throws -> CommitRecord {
        _ = CommitRecord(bytes)
        var record = CommitRecord(file: bytes.text)
        let words = stride(from: 0, to: bytes.count & ~3, by: 4).map {
            bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
        }
        for (index, word) in words.enumerated() {
            record.commit(through: word, of: .init(first: words[0], second: UInt32(index / 4)))
            if index & 1 == 1 { record.sync(record.place) }
        }
        record.isClosed = words.last.map { $0 & 1 == 1 } ?? false
        let written = record.withBytes { Array($0) }
        try demand(written.withUnsafeBytes { CommitRecord($0) } == record, "the record \(record)")
        return record
    }

    /// A `-wal` with a frame for each byte: its lowest bit ends a transaction, the next damages the frame, and the third
    /// leaves it from an earlier round of the file.
    private static func checkBuilt(_ bytes: UnsafeRawBufferPointer, _ record: CommitRecord) throws {
        var wal = BuiltWAL(isBigEndian: bytes.count & 1 == 1)
        var (committed, number, isBad, isBehind) = (UInt32(0), UInt32(0), false, false)
        for byte in bytes.prefix(40) {
            let (isCommit, isDamaged, isOld) = (byte & 1 != 0, byte & 2 != 0, byte & 4 != 0)
            wal.add(isCommit: isCommit, isDamaged: isDamaged, isOld: isOld, fill: byte)
            number += 1
            if isBad {
                isBehind = isBehind || isCommit && !isOld
            } else if isDamaged || isOld {
                isBad = true
            } else if isCommit {
                committed = number
            }
        }
        let state = try wal.bytes.withUnsafeBytes {
            try WriteAheadLog.state(try ScratchFile.write($0, as: "built-wal"))
        }
        guard number > 0 else { return try demand(state == .empty, "a -wal without frames is \(state)") }
        guard case .found(let log) = state else { throw BrokenInvariant(description: "\(number) frames are \(state)") }
        try demand(
            log.frames == committed && log.hasCommitBehind == isBehind,
            "\(committed) committed of \(number), \(isBehind ? "and" : "no") more behind: \(log)"
        )
        try self.checkLosses(state, committed, record)
    }

    private static func checkLosses(_ state: WriteAheadLog.State, _ committed: UInt32, _ record: CommitRecord) throws {
        _ = LostCommits(of: state, record, wasClosed: false)
        _ = LostCommits(of: state, .damaged, wasClosed: true, hadRecord: true)
        var own = CommitRecord(file: "f")
        own.commit(through: committed, of: BuiltWAL.salts)
        own.sync(own.place)
        try demand(LostCommits(of: state, own, wasClosed: false) == .none, "nothing is lost")
        own.commit(through: committed + 1, of: BuiltWAL.salts)
        try demand(LostCommits(of: state, own, wasClosed: false) == .unsynced, "one commit is lost")
        own.sync(own.place)
        try demand(LostCommits(of: state, own, wasClosed: false) == .any, "one synced commit is lost")
    }
}

/// A write-ahead log as SQLite writes one, with pages of 512 bytes
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
private struct BuiltWAL {
    static let salts = WriteAheadLog.Salts(first: 0x0102_0304, second: 0x0506_0708)

    private(set) var bytes: [UInt8] = []
    private let isBigEndian: Bool
    private var sums: (UInt32, UInt32) = (0, 0)

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
        let words: [UInt32] = [
            0x377f_0682 | (isBigEndian ? 1 : 0), 3_007_000, 512, 0, Self.salts.first, Self.salts.second,
        ]
        self.bytes = words.flatMap(Self.word)
        self.sum(self.bytes)
        self.bytes += Self.word(self.sums.0) + Self.word(self.sums.1)
    }

    mutating func add(isCommit: Bool, isDamaged: Bool, isOld: Bool, fill: UInt8) {
        let head = Self.word(1) + Self.word(isCommit ? 1 : 0)
        let page = [UInt8](repeating: fill, count: 512)
        self.sum(head + page)
        self.bytes += head + Self.word(Self.salts.first &- (isOld ? 1 : 0)) + Self.word(Self.salts.second)
        self.bytes += Self.word(self.sums.0 ^ (isDamaged ? 1 : 0)) + Self.word(self.sums.1) + page
    }

    private mutating func sum(_ bytes: [UInt8]) {
        for place in stride(from: 0, to: bytes.count, by: 8) {
            self.sums.0 &+= self.number(bytes[place..<place + 4]) &+ self.sums.1
            self.sums.1 &+= self.number(bytes[place + 4..<place + 8]) &+ self.sums.0
        }
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        (self.isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
