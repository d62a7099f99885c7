import Foundation
import NIOCore
import RoomModel
import RoomWire

/// An export as a file: JSON lines, read one after the other and checked. Lines of other tools become lines of an export.
struct ExportFile {
    private static let pieceLength = 1 << 16
    /// How far ahead the clock of the broker that exported may have been, in milliseconds.
    private static let leeway: Int64 = 60_000

    /// For errors.
    let name: String
    private let file: FileHandle
    let limits: FrameLimits
    /// Unix milliseconds.
    let now: Int64

    /// - Parameter path: `-` for standard input.
    init(path: String, limits: FrameLimits, now: Int64) throws(CommandFailure) {
        self.limits = limits
        self.now = now
        self.name = path == "-" ? "standard input" : path
        guard path != "-" else {
            self.file = try InputCopy.make()
            return
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(code: .usage, text: "the file \(path) cannot be read: \(reason)")
        }
        self.file = file
    }

    /// Gives `take` each line with what it says.
    ///
    /// - Throws: `CommandFailure` that names the line, where one is none of an export or does not follow the one before;
    ///   what `take` throws.
    func read(_ take: (ByteBuffer, ExportedEntry) async throws -> Void) async throws {
        var unread = ByteBuffer()
        var number = 0
        var last: ExportedEntry?
        try self.rewind()
        while let piece = try self.piece() {
            unread.discardReadBytes()
            unread.writeBytes(piece)
            while let line = unread.readLine() {
                number += 1
                last = try await self.hand(line, number, after: last, take) ?? last
            }
            guard unread.readableBytes <= self.limits.endlessLine else {
                throw self.failure(number + 1, "the line is too long: an export has one message a line")
            }
        }
        if unread.readableBytes > 0 {
            last = try await self.hand(unread, number + 1, after: last, take) ?? last
        }
        guard last != nil else {
            throw CommandFailure(code: .refused, text: "\(self.name) is empty: there is nothing to import")
        }
    }

    private func rewind() throws(CommandFailure) {
        do {
            try self.file.seek(toOffset: 0)
        } catch {
            throw CommandFailure(
                code: .usage,
                text: "the file \(self.name) cannot be read twice: give a regular file, or - for standard input"
            )
        }
    }

    private func piece() throws(CommandFailure) -> Data? {
        do {
            let data = try self.file.read(upToCount: Self.pieceLength)
            return data.flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw CommandFailure(
                code: .refused,
                text: "the file \(self.name) cannot be read: \(SystemReason.text(error))"
            )
        }
    }

    /// - Returns: `nil` for a line with nothing on it.
    private func hand(
        _ text: ByteBuffer,
        _ number: Int,
        after last: ExportedEntry?,
        _ take: (ByteBuffer, ExportedEntry) async throws -> Void
    ) async throws -> ExportedEntry? {
        guard !text.readableBytesView.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) else { return nil }
        let (line, entry) = try self.entry(text, number, after: last)
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

    /// The line as it stands if it is one of an export; else as one.
    private func entry(
        _ line: ByteBuffer,
        _ number: Int,
        after last: ExportedEntry?
    ) throws(CommandFailure) -> (ByteBuffer, ExportedEntry) {
        if let entry = try? ExportedEntry(line, limits: self.limits) { return (line, entry) }
        do throws(RequestError) {
            let random = UInt64.random(in: 0...UInt64.max)
            let exported = try LooseLine(line)
                .exported(after: last, now: self.now, random: random, readTime: Self.seconds)
            return (exported, try ExportedEntry(exported, limits: self.limits))
        } catch {
            throw self.failure(number, error.text)
        }
    }

    /// Of a time as RFC 3339 has it.
    private static func seconds(_ text: String) -> Double? {
        let fractional = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
        return (fractional ?? (try? Date.ISO8601FormatStyle().parse(text)))?.timeIntervalSince1970
    }

    private func failure(_ line: Int, _ text: String) -> CommandFailure {
        CommandFailure(code: .refused, text: "\(self.name), line \(line): \(text)")
    }
}

extension ByteBuffer {
    /// The bytes before the next line break; `nil` where there is none.
    fileprivate mutating func readLine() -> ByteBuffer? {
        guard let end = self.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = self.readSlice(length: end - self.readerIndex)
        self.moveReaderIndex(forwardBy: 1)
        return line
    }
}
