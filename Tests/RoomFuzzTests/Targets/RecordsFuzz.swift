import NIOCore
import RoomCore

/// Bytes are a record that these bytes say and no others, or are refused where they are wrong.
enum RecordsFuzz: FuzzTarget {
    static let name = "records"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let record: RoomRecord
        do throws(RecordError) {
            record = try RoomRecord(decoding: bytes.buffer)
        } catch {
            try demand(0...bytes.count ~= error.offset, "a fault at \(error.offset)")
            return try demand("\(error)".isOneSafeLine, "an error of more than one line")
        }
        let written = record.encoded
        try demand(written.readableBytesView.elementsEqual(bytes), "other bytes of the same record")
        try demand(try RoomRecord(decoding: written) == record, "another record of the same bytes")
    }
}
