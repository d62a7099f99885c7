import Foundation
import RoomCrypto

/// The SHA-256 of a file, read in pieces.
package enum FileDigest {
    private static let pieceLength = 1 << 20

    /// 64 hexadecimal digits, and how many bytes the file has.
    ///
    /// - Throws: `RegularFile.Refusal` where it is none, or `PrivateFile.Failure`.
    package static func of(_ path: String) throws -> (sha256: String, bytes: Int64) {
        let descriptor = try RegularFile.open(path)
        defer { Foundation.close(descriptor) }
        var digest = SHA256()
        var bytes: Int64 = 0
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = Foundation.read(descriptor, piece.baseAddress, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw PrivateFile.Failure(path: path, code: errno)
            }
            if count == 0 { break }
            digest.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            bytes += Int64(count)
        }
        return (digest.finalize().hex, bytes)
    }
}
