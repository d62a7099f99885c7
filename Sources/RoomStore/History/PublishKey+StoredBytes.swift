import RoomCore
import RoomModel

extension PublishKey {
    private static let storedLength = 24

    /// Gives the 24 bytes of a stored key: the id and the digest, big-endian.
    func withStoredBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let words = (self.id.high.bigEndian, self.id.low.bigEndian, self.digest.bigEndian)
        return try withUnsafeBytes(of: words, body)
    }

    /// `nil` for bytes that are no key.
    init?(storedBytes: UnsafeRawBufferPointer) {
        guard storedBytes.count == Self.storedLength else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: storedBytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(id: UniqueID(high: word(0), low: word(1)), digest: word(2))
    }
}
