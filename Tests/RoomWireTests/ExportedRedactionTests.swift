import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// Redactions and tombstones in an export.
struct ExportedRedactionTests {
    private static let writer = PublishWriter(room: RoomName("room"))
    private static let stamp = Stamp(
        id: UniqueID(milliseconds: 1_763_697_600_000, sequence: 1, random: 2),
        sender: .member(ClientID("ann"), clientData: nil)
    )

    private static func tail(_ message: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        let tail = Self.writer.write(ByteBuffer(string: message), stamp: Self.stamp, seq: 7, into: &buffer)
        return buffer.getSlice(at: tail.lowerBound, length: tail.count) ?? ByteBuffer()
    }

    private static func redaction(of seq: UInt64, reason: String?) -> ByteBuffer {
        var buffer = ByteBuffer()
        let tail = Self.writer.writeRedaction(
            ofMessage: seq,
            Self.stamp.id,
            reason: reason,
            stamp: Self.stamp,
            seq: 9,
            into: &buffer
        )
        return buffer.getSlice(at: tail.lowerBound, length: tail.count) ?? ByteBuffer()
    }

    @Test func `each entry is read as what it is, byte for byte`() throws {
        let tombstone = PublishWriter.tombstone(of: Self.tail("1")) ?? ByteBuffer()
        for (kind, tail) in [(EntryKind.message, Self.tail("1")), (.tombstone, tombstone)] {
            var line = ByteBuffer()
            Self.writer.writeStored(tail, into: &line)
            let entry = try ExportedEntry(line, limits: FrameLimits())
            #expect((entry.kind, entry.seq, entry.tail) == (kind, 7, tail))
        }
        for reason in ["why", nil] {
            var line = ByteBuffer()
            Self.writer.writeStored(Self.redaction(of: 8, reason: reason), as: .messageRedacted, into: &line)
            let entry = try ExportedEntry(line, limits: FrameLimits())
            #expect((entry.kind, entry.seq, entry.tail) == (.redaction, 9, Self.redaction(of: 8, reason: reason)))
        }
    }

    @Test(
        arguments: [
            ("\"target_seq\":8", "\"target_seq\":9"), ("\"target_seq\":8", "\"target_seq\":0"),
            ("\"target_id\":\"0", "\"target_id\":\"z"), ("\"reason\":\"why\"", "\"reason\":1"),
            ("\"reason\"", "\"message\""), ("message_redacted", "room_cleared"),
        ]
    )
    func `a redaction that makes no sense is refused`(right: String, wrong: String) {
        var line = ByteBuffer()
        Self.writer.writeStored(Self.redaction(of: 8, reason: "why"), as: .messageRedacted, into: &line)
        let text = String(buffer: line).replacing(right, with: wrong)
        #expect(throws: RequestError.self) { try ExportedEntry(ByteBuffer(string: text), limits: FrameLimits()) }
    }
}
