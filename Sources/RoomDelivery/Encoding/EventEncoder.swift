import NIOCore
import RoomModel
import RoomWire

/// The events of a room as Server-Sent Events: each has the JSON of a line of the canonical format, and the entry's
/// place in the log as its id.
enum EventEncoder {
    static func write(_ line: UnsafeRawBufferPointer, _ epoch: Epoch, seq: UInt64, into bytes: inout ByteBuffer) {
        guard !line.isEmpty else { return }
        EventWriter.writeID(epoch, seq: seq, into: &bytes)
        EventWriter.write(into: &bytes) { $0.writeBytes(line) }
    }

    static func event(ofLine line: ByteBuffer, _ epoch: Epoch, seq: UInt64) -> ByteBuffer {
        var event = ByteBuffer()
        line.withUnsafeReadableBytes { Self.write($0, epoch, seq: seq, into: &event) }
        return event
    }

    /// The most bytes that an event has beside its line: the names of its fields, an epoch and a number.
    static let overhead = 64
}

extension Encoding {
    /// - Parameters:
    ///   - canonical: each entry is a line, or nothing.
    ///   - seq: of each entry; 0 for what is none of the log.
    init(events canonical: Encoding, _ epoch: Epoch, seq: (Int) -> UInt64) {
        self.init(
            capacity: canonical.bytes.readableBytes + EventEncoder.overhead * canonical.count,
            entries: canonical.count
        )
        canonical.bytes.withUnsafeReadableBytes { bytes in
            for entry in 0..<canonical.count {
                let line = UnsafeRawBufferPointer(rebasing: bytes[canonical.range(ofEntry: entry)])
                self.append { EventEncoder.write(line, epoch, seq: seq(entry), into: &$0) }
            }
        }
    }
}
