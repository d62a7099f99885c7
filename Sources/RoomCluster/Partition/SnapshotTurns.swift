import RoomCore

/// Decides when a snapshot of a partition is stored: often enough that few records have to be applied again, and seldom enough that
/// snapshots are no more than a fifth of what is written.
struct SnapshotTurns: Sendable {
    /// The bytes of the newest one.
    private var bytes: Int
    /// The bytes of the records behind it.
    private var recordBytes = 0
    /// When it was taken.
    private var time: UInt64

    private static let leastRecordBytes = 4 << 20
    private static let recordBytesForByte = 4
    /// A log that nearly rests must not lose the records behind it by their age.
    private static let longest: UInt64 = 600_000_000_000

    init(bytes: Int, now: UInt64) {
        self.bytes = bytes
        self.time = now
    }

    mutating func passed(_ recordBytes: Int) { self.recordBytes += recordBytes }

    func isDue(now: UInt64) -> Bool {
        self.recordBytes >= max(Self.leastRecordBytes, Self.recordBytesForByte * self.bytes)
            || self.recordBytes > 0 && now >= self.time + Self.longest
    }

    mutating func taken(bytes: Int, now: UInt64) {
        self.bytes = bytes
        self.recordBytes = 0
        self.time = now
    }
}
