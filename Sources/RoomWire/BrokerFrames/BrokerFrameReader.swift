import NIOCore
import RoomModel

/// Reads the fields of one frame from the broker.
struct BrokerFrameReader: FieldReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan<BrokerField>
    /// What the errors say that this is.
    private var subject: StaticString = "frame"

    static func read<Value>(
        _ line: ByteBuffer,
        nestingLimit: Int,
        _ body: (BrokerFrameReader) throws(BrokerFrameError) -> Value
    ) throws(BrokerFrameError) -> Value {
        try FrameScan<BrokerField>.reading(line) { scan, bytes throws(BrokerFrameError) in
            do throws(JSONFault) {
                try scan.read(bytes, nestingLimit: nestingLimit)
                if let concern = scan.concern { throw concern }
            } catch {
                throw BrokerFrameError(error.code, error.text(in: bytes, nestingLimit: nestingLimit))
            }
            let reader = BrokerFrameReader(line: line, bytes: bytes, scan: scan)
            if let field = scan.duplicate { throw reader.fault(.duplicateField, "\"\(field.name)\" stands twice") }
            return try body(reader)
        }
    }

    private init(line: ByteBuffer, bytes: UnsafeRawBufferPointer, scan: FrameScan<BrokerField>) {
        self.line = line
        self.bytes = bytes
        self.scan = scan
    }

    /// The same, with errors that say what it is.
    func about(_ subject: StaticString) -> BrokerFrameReader {
        var reader = self
        reader.subject = subject
        return reader
    }

    func fault(_ code: Code, _ text: String) -> BrokerFrameError { Self.fault(code, text, of: self.subject) }

    static func missing(_ field: BrokerField, _ right: String, of subject: StaticString) -> BrokerFrameError {
        Self.fault(.missingField, "\"\(field.name)\" is missing, it has to be \(right)", of: subject)
    }

    private static func fault(_ code: Code, _ text: String, of subject: StaticString) -> BrokerFrameError {
        BrokerFrameError(code, "\(subject): \(text)")
    }
}
