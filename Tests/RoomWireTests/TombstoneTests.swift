import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// Tails without their text, and the frames that tell of them.
struct TombstoneTests {
    private static let writer = PublishWriter(room: RoomName("a \"room\""))
    private static let id = UniqueID(milliseconds: 1_763_697_600_000, sequence: 1, random: 2)

    private static func stamp(_ clientData: String) -> Stamp {
        Stamp(id: Self.id, sender: .member(ClientID("ann"), clientData: ByteBuffer(string: clientData)))
    }

    /// Members who would be glad if their text were taken for another one's.
    @Test(
        arguments: [
            "1", "{}", #"{"message":1}"#, #"",\"message\":null,\"redacted\":true}""#,
            #"[",\"message\":",{"message":[]}]"#,
            #"{"a":{"message":{"message":2}},"redacted":true}"#,
        ]
    )
    func `only the text is gone, whatever member data and text contain`(json: String) {
        for message in [json, "\"secret\"", "[\"secret\", 1.0]", "null"] {
            var buffer = ByteBuffer()
            let stamp = Self.stamp(json)
            let tail = Self.writer.write(ByteBuffer(string: message), stamp: stamp, seq: 7, into: &buffer)
            let whole = buffer.getString(at: tail.lowerBound, length: tail.count) ?? ""
            let head = whole.dropLast(message.utf8.count + 1)
            let tombstone = buffer.getSlice(at: tail.lowerBound, length: tail.count).flatMap(PublishWriter.tombstone)
            #expect(tombstone.map { String(buffer: $0) } == "\(head)null,\"redacted\":true}")
            #expect(Self.writer.tail(from: 0, to: buffer.writerIndex, of: buffer).map { String(buffer: $0) } == whole)
            #expect(tombstone.flatMap(PublishWriter.id) == Self.id)
            var again = ByteBuffer()
            Self.writer.writeStored(tombstone ?? ByteBuffer(), into: &again)
            #expect(Self.writer.isMessage(Self.id, at: 0, of: again))
        }
    }

    @Test func `what is not a message has no tombstone`() {
        #expect(PublishWriter.tombstone(of: ByteBuffer(string: #""id":"1","text":"message"}"#)) == nil)
        #expect(PublishWriter.tombstone(of: ByteBuffer()) == nil)
    }

    @Test func `a redaction names its message and why`() {
        var buffer = ByteBuffer()
        let stamp = Stamp(id: Self.id, sender: .broker)
        let target = UniqueID(milliseconds: 1_763_697_600_000, sequence: 0, random: 1)
        let tail = Self.writer.writeRedaction(
            ofMessage: 3,
            target,
            reason: "a \"reason\"",
            stamp: stamp,
            seq: 7,
            into: &buffer
        )
        let head = #"{"type":"message_redacted","room":"a \"room\"","#
        let rest =
            #""id":"\#(Self.id)","timestamp":1763697600,"seq":7,"sender":{"id":"roomline","kind":"broker"},"#
            + #""target_seq":3,"target_id":"\#(target)","reason":"a \"reason\""}"#
        #expect(String(buffer: buffer) == head + rest + "\n")
        #expect(buffer.getString(at: tail.lowerBound, length: tail.count) == rest)
        var stored = ByteBuffer()
        Self.writer.writeStored(ByteBuffer(string: rest), as: .messageRedacted, into: &stored)
        #expect(String(buffer: stored) == head + rest)
    }
}
