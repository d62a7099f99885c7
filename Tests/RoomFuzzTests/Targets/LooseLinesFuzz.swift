import Foundation
import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// A line of any tool becomes one of an export, with its message byte for byte, or is told in one line why not. What the import
/// makes of its own comes behind the line before.
enum LooseLinesFuzz: FuzzTarget {
    static let name = "loose-lines"
    private static let now: Int64 = 1_763_697_600_000

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        try self.check(bytes.buffer, after: nil)
        let last = ByteBuffer(string: #"{"message":"before","time":"2025-11-21T04:00:00.999Z","seq":7}"#)
        try self.check(bytes.buffer, after: self.entry(of: last, after: nil))
    }

    private static func check(_ line: ByteBuffer, after last: ExportedEntry?) throws {
        let exported: ByteBuffer
        let entry: ExportedEntry
        do throws(RequestError) {
            exported = try self.exported(line, after: last)
            entry = try ExportedEntry(exported, limits: FrameLimits())
        } catch {
            return try demand(error.text.isOneSafeLine, "an error of more than one line: \(error.text)")
        }
        try exported.withUnsafeReadableBytes { try ExportsFuzz.check($0) }
        let tree = try JSONTree.read(line, nestingLimit: 1_024)
        if entry.kind != .redaction {
            try demand(self.message(of: exported) == self.message(of: line), "another message: \(exported)")
        }
        guard let last else { return }
        if self.isMissing("id", in: tree) {
            try demand(entry.id > last.id, "the id \(entry.id) is not behind \(last.id)")
        }
        if tree["seq"] == nil { try demand(entry.seq == last.seq + 1, "seq is \(entry.seq)") }
    }

    private static func isMissing(_ name: String, in tree: JSONTree) -> Bool {
        tree[name] == nil || tree[name] == .null
    }

    private static func message(of line: ByteBuffer) -> ByteBuffer? {
        guard let range = JSONFields.range(of: "message", in: line) else { return nil }
        return line.getSlice(at: line.readerIndex + range.lowerBound, length: range.count)
    }

    private static func entry(of line: ByteBuffer, after last: ExportedEntry?) throws -> ExportedEntry {
        try ExportedEntry(self.exported(line, after: last), limits: FrameLimits())
    }

    private static func exported(_ line: ByteBuffer, after last: ExportedEntry?) throws(RequestError) -> ByteBuffer {
        try LooseLine(line).exported(after: last, start: self.now, random: .max) {
            (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0))?.timeIntervalSince1970
        }
    }
}
