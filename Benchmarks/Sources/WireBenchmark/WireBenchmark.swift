import BenchmarkClock
import NIOCore
import RoomModel
import RoomWire

/// Measures what one message costs in the wire format's code alone: to decode a publish, to write it for a room, and to decode it in the
/// SDK. And what a frame costs that is described: a subscribe.
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
        let subscribe = ByteBuffer(
            string: "{\"type\":\"subscribe\",\"room\":\"observable-lobby\",\"callback\":12,\"history_count\":50,"
                + "\"since\":{\"epoch\":\"0190aa\",\"seq\":123456},\"presence\":true}"
        )
        for _ in 0..<Self.rounds {
            try Self.decode("publish", line)
            try Self.decode("subscribe", subscribe)
            Self.write(ByteBuffer(string: body), id: id)
            try Self.deliver(ByteBuffer(string: body), id: id)
        }
    }

    private static func decode(_ name: String, _ line: ByteBuffer) throws {
        let decoder = FrameDecoder(limits: FrameLimits())
        var callbacks: Int64 = 0
        let clock = ProcessClock()
        for _ in 0..<Self.count { callbacks += try decoder.decode(line).callback ?? 0 }
        clock.report(name, count: Self.count)
        precondition(callbacks == 12 * Int64(Self.count))
    }

    private static func deliver(_ message: ByteBuffer, id: UniqueID) throws {
        let data = ByteBuffer(string: "{\"name\":\"Luke\",\"color\":\"#2e7d32\"}")
        let stamp = Stamp(id: id, sender: .member(ClientID("0190aa"), clientData: data))
        var line = ByteBuffer()
        _ = PublishWriter(room: RoomName("observable-lobby")).write(message, stamp: stamp, seq: 1, into: &line)
        let decoder = BrokerFrameDecoder()
        var messages = 0
        let clock = ProcessClock()
        for _ in 0..<Self.count {
            if case .entry(.message) = try decoder.decode(line) { messages += 1 }
        }
        clock.report("delivered", count: Self.count)
        precondition(messages == Self.count)
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
