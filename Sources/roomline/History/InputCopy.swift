import Foundation
import RoomClient

/// Standard input as a file, for what is read twice. It has no name, so nothing is left of it.
enum InputCopy {
    private static let pieceLength = 1 << 16

    static func make() throws(CommandFailure) -> FileHandle {
        let path = NSTemporaryDirectory() + "roomline-\(UUID())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                code: .refused,
                text: "no temporary file can be made for standard input: \(String(cString: strerror(errno)))"
            )
        }
        unlink(path)
        let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            while let piece = try FileHandle.standardInput.read(upToCount: self.pieceLength), !piece.isEmpty {
                try copy.write(contentsOf: piece)
            }
        } catch {
            throw CommandFailure(
                code: .refused,
                text: "standard input cannot be copied to a temporary file: \(ErrorReason.text(error))"
            )
        }
        return copy
    }
}
