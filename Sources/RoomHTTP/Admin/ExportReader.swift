import NIOCore
import NIOHTTP1
import RoomCore
import RoomModel
import RoomWire

/// Reads a part of an export, line by line, as the entries of a log.
struct ExportReader {
    /// How far ahead of this broker's clock that of the one that exported may have been.
    private static let leewayMilliseconds: Int64 = 60_000

    let limits: FrameLimits
    /// Unix milliseconds.
    let now: Int64

    /// - Returns: one entry at least.
    /// - Throws: `Problem` that names the line.
    func entries(_ body: ByteBuffer) throws(Problem) -> [LogEntry] {
        var body = body
        var entries: [LogEntry] = []
        var number = 0
        while body.readableBytes > 0 {
            number += 1
            let length = body.readableBytesView.firstIndex(of: UInt8(ascii: "\n")).map { $0 - body.readerIndex }
            guard let line = body.readSlice(length: length ?? body.readableBytes) else { break }
            if length != nil { body.moveReaderIndex(forwardBy: 1) }
            entries.append(try self.entry(line, number, after: entries.last))
        }
        guard !entries.isEmpty else {
            throw Problem(.badRequest, Code.missingField, "the body is empty: send lines of an export")
        }
        return entries
    }

    private func entry(_ line: ByteBuffer, _ number: Int, after last: LogEntry?) throws(Problem) -> LogEntry {
        let entry: ExportedEntry
        do throws(RequestError) {
            entry = try ExportedEntry(line, limits: self.limits)
        } catch {
            throw Problem(error.code.status, error.code, "line \(number): \(error.text)")
        }
        if let last {
            guard entry.seq == last.seq + 1 else {
                throw .invalid("line \(number): seq is \(entry.seq), but must follow \(last.seq) of the previous line")
            }
            guard entry.id > last.id else {
                throw .invalid("line \(number): the id is not greater than that of the previous line")
            }
        }
        guard entry.id.milliseconds <= self.now + Self.leewayMilliseconds else {
            throw .invalid("line \(number): the message is from the future: is the clock of this machine right?")
        }
        return LogEntry(entry.kind, seq: entry.seq, id: entry.id, tail: entry.tail)
    }
}
