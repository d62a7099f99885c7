import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from the broker.
struct BrokerFrameReader: FieldReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan<BrokerField>
    /// The name of the frame in error texts.
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

    /// The same reader, with another name in its errors.
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

/// The values that several frames have.
extension BrokerFrameReader {
    func required<Value>(_ field: BrokerField, _ value: Value?, _ right: String) throws(BrokerFrameError) -> Value {
        guard let value else { throw self.missing(field, right) }
        return value
    }

    /// At most `Int64.max`, so that whoever counts on from it cannot overflow.
    func seq(_ field: BrokerField) throws(BrokerFrameError) -> UInt64? {
        let seq: Int64? = try self.integer(field, atLeast: 0)
        return seq.map { UInt64($0) }
    }

    func requiredSeq(_ field: BrokerField) throws(BrokerFrameError) -> UInt64 {
        try self.required(field, try self.seq(field), "an integer of 0 or more")
    }

    func requiredFlag(_ field: BrokerField) throws(BrokerFrameError) -> Bool {
        try self.required(field, try self.flag(field), "true or false")
    }

    func room() throws(BrokerFrameError) -> RoomName { RoomName(try self.requiredString(.room)) }

    /// A member or a sender, as its bytes.
    func object(_ field: BrokerField) throws(BrokerFrameError) -> ByteBuffer {
        let place = try self.required(field, self.value(field), "an object")
        return try self.object(at: place, field, "an object")
    }

    func objectIfPresent(_ field: BrokerField) throws(BrokerFrameError) -> ByteBuffer? {
        guard let place = self.value(field) else { return nil }
        return try self.object(at: place, field, "an object")
    }

    /// Members, or messages, each as its bytes.
    func objects(_ field: BrokerField) throws(BrokerFrameError) -> [ByteBuffer] {
        let place = try self.required(field, self.value(field), "an array of objects")
        guard self.bytes[place.lowerBound] == UInt8(ascii: "[") else {
            throw self.misfit(field, "an array of objects", place)
        }
        var objects: [ByteBuffer] = []
        var elements = JSONElements(self.bytes, at: place)
        while let element = elements.next() {
            objects.append(try self.object(at: element, field, "an array of objects"))
        }
        return objects
    }

    private func object(
        at place: Range<Int>,
        _ field: BrokerField,
        _ right: String
    ) throws(BrokerFrameError) -> ByteBuffer {
        guard self.bytes[place.lowerBound] == UInt8(ascii: "{") else { throw self.misfit(field, right, place) }
        return self.slice(place)
    }
}
