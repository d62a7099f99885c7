import GRDB
import NIOCore
import RoomCore
import RoomJSON
import RoomModel

/// The messages of a batch, as the bytes of `batch.messages`; all numbers are big-endian:
///
///     for each message, 24 bytes:
///         stamp    16  its UUIDv7
///         end       4  where its tail ends, counted from behind the keys
///         kind      1  0: a message, 1: a redaction, 2: a message that was redacted
///         has key   1  0 or 1
///         user      2  how many bytes the author's user takes; 0: it is in the tail, or there is none
///     the keys of those that have one, 24 bytes each: the client's message_id and the digest of the body
///     for each message its user, then its tail: from `"id":` to the closing brace of its frame
struct BatchMessages {
    /// A row has no more messages.
    static let mostMessages = 256
    /// A row gets no other message when its tails have so many bytes: who reads one reads all.
    static let fullBytes = 65_536

    private static let headLength = 24
    private static let keyLength = 24

    private let bytes: UnsafeRawBufferPointer
    private let row: BatchRow
    private let count: Int
    private let tails: Int
    private let isChecked: Bool

    /// - Parameters:
    ///   - bytes: have to stay where they are for as long as this is used.
    ///   - isChecked: whether they are known to be what was stored.
    /// - Throws: SQLITE_CORRUPT where they are no messages that a broker has written.
    init(_ bytes: UnsafeRawBufferPointer, of row: BatchRow, isChecked: Bool) throws {
        self.bytes = bytes
        self.row = row
        self.isChecked = isChecked
        self.count = Int(row.lastSeq - row.firstSeq + 1)
        let heads = self.count.multipliedReportingOverflow(by: Self.headLength)
        guard !heads.overflow, heads.partialValue <= bytes.count else { throw Self.corrupt }
        var (keys, end) = (0, 0)
        for index in 0..<self.count {
            let head = index * Self.headLength
            let next = Int(bytes.loadUnaligned(fromByteOffset: head + 16, as: UInt32.self).bigEndian)
            guard next >= end + Self.userLength(head, bytes) else { throw Self.corrupt }
            end = next
            keys += bytes[head + 21] == 0 ? 0 : 1
        }
        self.tails = heads.partialValue + keys * Self.keyLength
        guard self.tails + end == bytes.count else { throw Self.corrupt }
    }

    private static var corrupt: DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT) }

    // MARK: Reading

    var length: Int { self.bytes.count }

    func id(of seq: UInt64) -> UniqueID {
        let head = self.head(of: seq)
        return UniqueID(
            high: self.bytes.loadUnaligned(fromByteOffset: head, as: UInt64.self).bigEndian,
            low: self.bytes.loadUnaligned(fromByteOffset: head + 8, as: UInt64.self).bigEndian
        )
    }

    func kind(of seq: UInt64) -> EntryKind {
        EntryKind(rawValue: self.bytes[self.head(of: seq) + 20]) ?? .message
    }

    func tail(of seq: UInt64) -> UnsafeRawBufferPointer {
        let head = self.head(of: seq)
        return self.slice(from: self.start(head) + Self.userLength(head, self.bytes), to: self.tailEnd(head))
    }

    private func user(of seq: UInt64) -> String? {
        let head = self.head(of: seq)
        let length = Self.userLength(head, self.bytes)
        guard length > 0 else { return nil }
        return String(decoding: self.slice(from: self.start(head), to: self.start(head) + length), as: UTF8.self)
    }

    private func slice(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self.bytes[self.tails + start..<self.tails + end])
    }

    /// Whether the message can be shown. One without a checksum has to make a whole frame.
    func isSound(_ seq: UInt64) -> Bool {
        self.isChecked || Self.isFrameTail(self.tail(of: seq))
    }

    /// Whether these bytes are those from a key of an object to its closing brace, in one line.
    private static func isFrameTail(_ tail: UnsafeRawBufferPointer) -> Bool {
        guard tail.starts(with: "\"id\":".utf8), !tail.contains(where: { $0 < 0x20 }) else { return false }
        var object = ByteBuffer()
        object.reserveCapacity(tail.count + 1)
        object.writeInteger(UInt8(ascii: "{"))
        object.writeBytes(tail)
        return object.withUnsafeReadableBytes { bytes in
            // Its words about the fault help nobody here.
            (try? JSONScanner.check(bytes, nestingLimit: .max)) != nil
        }
    }

    /// Without its key.
    func entry(_ seq: UInt64) -> LogEntry {
        LogEntry(
            self.kind(of: seq),
            seq: seq,
            id: self.id(of: seq),
            user: self.user(of: seq),
            tail: ByteBuffer(bytes: self.tail(of: seq))
        )
    }

    /// All with their keys.
    func entries() -> [LogEntry] {
        var keys = self.storedKeys()
        return (self.row.firstSeq...self.row.lastSeq).map { seq in
            var entry = self.entry(seq)
            if self.hasKey(seq) { entry.key = keys.next() }
            return entry
        }
    }

    /// The messages that have a key, in ascending order.
    func keys() -> [(seq: UInt64, key: PublishKey)] {
        var keys = self.storedKeys()
        return (self.row.firstSeq...self.row.lastSeq).compactMap { seq in
            guard self.hasKey(seq), let key = keys.next(), self.isSound(seq) else { return nil }
            return (seq, key)
        }
    }

    private func hasKey(_ seq: UInt64) -> Bool { self.bytes[self.head(of: seq) + 21] != 0 }

    private func storedKeys() -> some IteratorProtocol<PublishKey> {
        stride(from: self.count * Self.headLength, to: self.tails, by: Self.keyLength).lazy.compactMap { place in
            PublishKey(storedBytes: UnsafeRawBufferPointer(rebasing: self.bytes[place..<place + Self.keyLength]))
        }.makeIterator()
    }

    /// The first message from `low` on with this stamp or a later one; `row.lastSeq + 1` where there is none.
    func firstSeq(from low: UInt64, stampedFrom stamp: UniqueID) -> UInt64 {
        var (low, high) = (max(low, self.row.firstSeq), self.row.lastSeq + 1)
        while low < high {
            let middle = low + (high - low) / 2
            if self.id(of: middle) < stamp { low = middle + 1 } else { high = middle }
        }
        return high
    }

    private func head(of seq: UInt64) -> Int { Int(seq - self.row.firstSeq) * Self.headLength }

    /// The place where the user of a message begins, or its tail if it has none.
    private func start(_ head: Int) -> Int { head == 0 ? 0 : self.tailEnd(head - Self.headLength) }

    private static func userLength(_ head: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: head + 22, as: UInt16.self).bigEndian)
    }

    private func tailEnd(_ head: Int) -> Int {
        Int(self.bytes.loadUnaligned(fromByteOffset: head + 16, as: UInt32.self).bigEndian)
    }

    // MARK: Writing

    /// How many of the entries go into one row: one at least, where there is one.
    static func most(of entries: ArraySlice<LogEntry>) -> Int {
        var (count, bytes) = (0, 0)
        for entry in entries {
            guard count < self.mostMessages, bytes < self.fullBytes else { break }
            bytes += entry.tail.readableBytes
            count += 1
        }
        return count
    }

    static func encoded(_ entries: ArraySlice<LogEntry>) -> ByteBuffer {
        let tails = entries.reduce(0) { $0 + ($1.user?.utf8.count ?? 0) + $1.tail.readableBytes }
        var bytes = ByteBuffer()
        bytes.reserveCapacity(entries.count * (self.headLength + self.keyLength) + tails)
        var end = 0
        for entry in entries {
            let user = entry.user?.utf8.count ?? 0
            end += user + entry.tail.readableBytes
            let marks = UInt32(entry.kind.rawValue) << 24 | (entry.key == nil ? 0 : 1 << 16) | UInt32(user)
            bytes.writeMultipleIntegers(entry.id.high, entry.id.low, UInt32(end), marks)
        }
        for case let key? in entries.lazy.map(\.key) { key.withStoredBytes { _ = bytes.writeBytes($0) } }
        for entry in entries {
            if let user = entry.user { bytes.writeString(user) }
            bytes.writeImmutableBuffer(entry.tail)
        }
        return bytes
    }
}
