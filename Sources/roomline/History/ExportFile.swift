import Foundation
import NIOCore
import RoomClient
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
        let start = try await self.start()
        var last: ExportedEntry?
        try await self.lines { line, number in
            let (line, entry) = try self.entry(line, number, after: last, start: start)
            try self.check(entry, number, after: last)
            try await take(line, entry)
            last = entry
            return true
        }
        guard last != nil else {
            throw CommandFailure(code: .refused, text: "\(self.name) is empty: there is nothing to import")
        }
    }

    /// The time of the lines in front that have none, in Unix milliseconds: the first one in the file, as those that follow
    /// must not be earlier.
    private func start() async throws -> Int64 {
        var first: Int64?
        try await self.lines { line, _ in
            // What is wrong with a line is told when it is read.
            first = try? LooseLine(line).time(readTime: Self.seconds)
            return first == nil
        }
        return min(first ?? self.now, self.now)
    }

    /// Gives `take` each line that has something on it, and its number, for as long as it returns true.
    private func lines(_ take: (ByteBuffer, Int) async throws -> Bool) async throws {
        var unread = ByteBuffer()
        var number = 0
        try self.rewind()
        while let piece = try self.piece() {
            unread.discardReadBytes()
            unread.writeBytes(piece)
            while let line = unread.readLine() {
                number += 1
                let text = number == 1 ? line.withoutByteOrderMark : line
                if text.isBlank { continue }
                guard try await take(text, number) else { return }
            }
            guard unread.readableBytes <= self.limits.endlessLine else {
                throw self.failure(number + 1, "the line is too long: an export has one message a line")
            }
        }
        let text = number == 0 ? unread.withoutByteOrderMark : unread
        if !text.isBlank { _ = try await take(text, number + 1) }
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
                text: "the file \(self.name) cannot be read: \(ErrorReason.text(error))"
            )
        }
    }

    private func check(_ entry: ExportedEntry, _ number: Int, after last: ExportedEntry?) throws(CommandFailure) {
        if let last, entry.seq != last.seq + 1 {
            throw self.failure(number, "seq is \(entry.seq), and has to follow \(last.seq) of the line before")
        }
        if let last, entry.id <= last.id { throw self.failure(number, "the id is not above that of the line before") }
        guard entry.id.milliseconds <= self.now + Self.leeway else {
            throw self.failure(number, "the time of the message is in the future; check the clock of this machine")
        }
    }

    /// The line as it stands if it is one of an export; else as one.
    private func entry(
        _ line: ByteBuffer,
        _ number: Int,
        after last: ExportedEntry?,
        start: Int64
    ) throws(CommandFailure) -> (ByteBuffer, ExportedEntry) {
        if let entry = try? ExportedEntry(line, limits: self.limits) { return (line, entry) }
        do throws(RequestError) {
            let random = UInt64.random(in: 0...UInt64.max)
            let exported = try LooseLine(line)
                .exported(after: last, start: start, random: random, readTime: Self.seconds)
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
    fileprivate var isBlank: Bool { self.readableBytesView.allSatisfy { [0x20, 0x09, 0x0d].contains($0) } }

    /// The bytes before the next line break; `nil` where there is none.
    fileprivate mutating func readLine() -> ByteBuffer? {
        guard let end = self.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = self.readSlice(length: end - self.readerIndex)
        self.moveReaderIndex(forwardBy: 1)
        return line
    }
}
