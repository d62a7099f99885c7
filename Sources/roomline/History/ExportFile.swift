import Foundation
import NIOCore
import RoomModel
import RoomWire

/// An export as a file: JSON lines, read one after the other and checked.
struct ExportFile {
    private static let pieceLength = 1 << 16
    /// How far ahead the clock of the broker that exported may have been, in milliseconds.
    private static let leeway: Int64 = 60_000

    let path: String
    let limits: FrameLimits
    /// Unix milliseconds.
    let now: Int64

    /// Gives `take` each line with what it says.
    ///
    /// - Throws: `CommandFailure` that names the line, where one is none of an export or does not follow the one before;
    ///   what `take` throws.
    func read(_ take: (ByteBuffer, ExportedEntry) async throws -> Void) async throws {
        guard let file = FileHandle(forReadingAtPath: self.path) else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(code: .usage, text: "the file \(self.path) cannot be read: \(reason)")
        }
        defer { try? file.close() }  // nothing was written to it
        var unread = ByteBuffer()
        var number = 0
        var last: ExportedEntry?
        while let piece = try self.piece(of: file) {
            unread.discardReadBytes()
            unread.writeBytes(piece)
            while let line = unread.readLine() {
                number += 1
                last = try await self.hand(line, number, after: last, take)
            }
            guard unread.readableBytes <= self.limits.endlessLine else {
                throw self.failure(number + 1, "the line is too long: an export has one message a line")
            }
        }
        if unread.readableBytes > 0 { last = try await self.hand(unread, number + 1, after: last, take) }
        guard last != nil else {
            throw CommandFailure(code: .refused, text: "\(self.path) is empty: there is nothing to import")
        }
    }

    private func piece(of file: FileHandle) throws(CommandFailure) -> Data? {
        do {
            let data = try file.read(upToCount: Self.pieceLength)
            return data.flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw CommandFailure(
                code: .refused,
                text: "the file \(self.path) cannot be read: \(SystemReason.text(error))"
            )
        }
    }

    private func hand(
        _ line: ByteBuffer,
        _ number: Int,
        after last: ExportedEntry?,
        _ take: (ByteBuffer, ExportedEntry) async throws -> Void
    ) async throws -> ExportedEntry {
        let entry: ExportedEntry
        do throws(RequestError) {
            entry = try ExportedEntry(line, limits: self.limits)
        } catch {
            throw self.failure(number, error.text)
        }
        if let last, entry.seq != last.seq + 1 {
            throw self.failure(number, "seq is \(entry.seq), and has to follow \(last.seq) of the line before")
        }
        if let last, entry.id <= last.id { throw self.failure(number, "the id is not above that of the line before") }
        guard entry.id.milliseconds <= self.now + Self.leeway else {
            throw self.failure(number, "the time of the message is in the future; check the clock of this machine")
        }
        try await take(line, entry)
        return entry
    }

    private func failure(_ line: Int, _ text: String) -> CommandFailure {
        CommandFailure(code: .refused, text: "\(self.path), line \(line): \(text)")
    }
}

extension ByteBuffer {
    /// What stands before the next line break; `nil` where there is none.
    fileprivate mutating func readLine() -> ByteBuffer? {
        guard let end = self.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = self.readSlice(length: end - self.readerIndex)
        self.moveReaderIndex(forwardBy: 1)
        return line
    }
}
