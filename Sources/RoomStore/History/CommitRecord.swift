/// Where a transaction ends in the `-wal`.
struct CommitPlace: Equatable, Sendable {
    var salts = WriteAheadLog.Salts(first: 0, second: 0)
    /// The number of its last frame.
    var frames: UInt32 = 0
}

/// How far the transactions of a `-wal` are committed and synced, as the file `history.sqlite-commits` says it
/// (docs/decisions/0037). It fits into one sector of a disk: after a power cut it is there as a whole.
struct CommitRecord: Equatable, Sendable {
    /// The 64 bytes of the file; all numbers behind the magic are big-endian:
    ///
    ///     magic      8  "TIMMOCLR"
    ///     file       8  XXH64 of `meta.file_id`
    ///     salts      8  those of the `-wal`
    ///     committed  4
    ///     synced     4
    ///     closed     4  1: the history was closed in order
    ///     0         20
    ///     checksum   8  XXH64 of all before
    static let length = 64
    private static let magic = UInt64(bigEndian: 0x524c_434f_4d4d_4954)
    private static let checked = 56

    /// Which history file it is of.
    let file: UInt64
    var salts = WriteAheadLog.Salts(first: 0, second: 0)
    /// The number of frames in the `-wal` up to the end of the newest transaction.
    var committed: UInt32 = 0
    /// The same, of the newest transaction that was synced.
    var synced: UInt32 = 0
    var isClosed = false

    /// - Parameter file: `meta.file_id`.
    init(file: String) {
        self.file = Array(file.utf8).withUnsafeBytes { BatchChecksum.xxh64($0, seed: 0) }
    }

    /// `nil` where these are not the bytes of a record.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.length else { return nil }
        func word(_ offset: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian }
        func long(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian }
        let sum = BatchChecksum.xxh64(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checked]), seed: 0)
        guard long(0) == Self.magic, long(Self.checked) == sum else { return nil }
        self.file = long(8)
        self.salts = WriteAheadLog.Salts(first: word(16), second: word(20))
        self.committed = word(24)
        self.synced = word(28)
        self.isClosed = word(32) != 0
    }

    /// Gives `body` the bytes of the file.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.storeBytes(of: Self.magic.bigEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: self.file.bigEndian, toByteOffset: 8, as: UInt64.self)
            bytes.storeBytes(of: self.salts.first.bigEndian, toByteOffset: 16, as: UInt32.self)
            bytes.storeBytes(of: self.salts.second.bigEndian, toByteOffset: 20, as: UInt32.self)
            bytes.storeBytes(of: self.committed.bigEndian, toByteOffset: 24, as: UInt32.self)
            bytes.storeBytes(of: self.synced.bigEndian, toByteOffset: 28, as: UInt32.self)
            bytes.storeBytes(of: (self.isClosed ? 1 : 0 as UInt32).bigEndian, toByteOffset: 32, as: UInt32.self)
            let sum = BatchChecksum.xxh64(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checked]), seed: 0)
            bytes.storeBytes(of: sum.bigEndian, toByteOffset: Self.checked, as: UInt64.self)
            return body(UnsafeRawBufferPointer(bytes))
        }
    }

    /// The newest transaction's place.
    var place: CommitPlace { CommitPlace(salts: self.salts, frames: self.committed) }

    /// A transaction was committed whose last frame is the one with this number.
    mutating func commit(through frames: UInt32, of salts: WriteAheadLog.Salts) {
        if salts != self.salts {
            self.salts = salts
            self.synced = 0
        }
        self.committed = frames
    }

    /// All through this place is on the disk. What was in an earlier round of the `-wal` is in the database by now.
    mutating func sync(_ place: CommitPlace) {
        if place.salts == self.salts { self.synced = max(self.synced, place.frames) }
    }
}
