import BenchmarkClock
import NIOCore
import RoomModel
import RoomWire

/// Measures what one message costs in the wire format's code alone: to decode a publish, and to write it for a room.
///
///     swift run -c release WireBenchmark
@main
enum WireBenchmark {
    private static let count = 2_000_000
    private static let rounds = 5

    static func main() throws {
        let id = UniqueID(milliseconds: 1_790_000_000_000, sequence: 1, random: 7)
        let body = "{\"text\":\"\(String(repeating: "x", count: 120))\",\"n\":[1,2.5,true,null]}"
        let line = ByteBuffer(
            string: "{\"type\":\"publish\",\"room\":\"observable-lobby\",\"message\":\(body),\"callback\":12,"
                + "\"message_id\":\"\(id)\"}"
        )
        for _ in 0..<Self.rounds {
            try Self.decode(line)
            Self.write(ByteBuffer(string: body), id: id)
        }
    }

    private static func decode(_ line: ByteBuffer) throws {
        let decoder = FrameDecoder(limits: FrameLimits())
        var callbacks: Int64 = 0
        let clock = ProcessClock()
        for _ in 0..<Self.count { callbacks += try decoder.decode(line).callback ?? 0 }
        clock.report("decode", count: Self.count)
        precondition(callbacks == 12 * Int64(Self.count))
    }

    private static func write(_ message: ByteBuffer, id: UniqueID) {
        let writer = PublishWriter(room: RoomName("observable-lobby"))
        let data = ByteBuffer(string: "{\"name\":\"Luke\",\"color\":\"#2e7d32\"}")
        let stamp = Stamp(id: id, sender: .member(ClientID("0190aa"), clientData: data))
        var buffer = ByteBuffer()
        var bytes = 0
        let clock = ProcessClock()
        for seq in 0..<Self.count {
            if seq.isMultiple(of: 64) { buffer.clear() }
            bytes += writer.write(message, stamp: stamp, seq: UInt64(seq), into: &buffer).count
        }
        clock.report("write", count: Self.count)
        precondition(bytes > Self.count)
    }
}
