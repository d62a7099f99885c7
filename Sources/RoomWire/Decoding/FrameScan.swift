import NIOCore
import RoomJSON

/// The places of the known fields in the text of one object, usually a frame. The places are in memory that
/// ``reading(_:_:)`` lends for the time of the decoding, so that a scan allocates nothing.
struct FrameScan<Field: WireField> {
    private let places: UnsafeMutableBufferPointer<Range<Int>>
    /// One bit for each field, hence the capacity.
    private var found: UInt64 = 0
    private var repeated: UInt64 = 0
    /// The first repeated field.
    private(set) var duplicate: Field?
    /// See ``JSONScanner/concern``.
    private(set) var concern: JSONFault?
    /// A CR or LF stands between two tokens, perhaps within a value.
    private(set) var hasLineBreak = false

    private init(places: UnsafeMutableBufferPointer<Range<Int>>) {
        self.places = places
    }

    /// Gives `body` an empty scan and the bytes to read with it; neither may leave it.
    @inline(__always)
    static func reading<Value, Fault: Error>(
        _ text: ByteBuffer,
        _ body: (inout FrameScan, UnsafeRawBufferPointer) throws(Fault) -> Value
    ) throws(Fault) -> Value {
        try text.withUnsafeReadableBytes { bytes throws(Fault) in
            try withUnsafeTemporaryAllocation(
                of: Range<Int>.self,
                capacity: Self.capacity
            ) { places throws(Fault) in
                var scan = FrameScan(places: places)
                return try body(&scan, bytes)
            }
        }
    }

    /// The place of the field's value; of a field that stands twice, that of the first.
    subscript(_ field: Field) -> Range<Int>? {
        self.found & Self.bit(field) == 0 ? nil : self.places[field.rawValue]
    }

    func isRepeated(_ field: Field) -> Bool { self.repeated & Self.bit(field) != 0 }

    /// Reads the whole line. Throws where it cannot be read to its end; ``concern`` and ``duplicate`` tell the rest.
    mutating func read(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int) throws(JSONFault) {
        var scanner = JSONScanner(bytes, nestingLimit: nestingLimit)
        scanner.skipBlanks()
        do throws(JSONFault) {
            if scanner.here == UInt8(ascii: "{") {
                try self.readFields(&scanner)
            } else {
                try scanner.skipValue()
            }
            try scanner.finish()
        } catch {
            throw scanner.concern ?? error
        }
        self.concern = scanner.concern
        self.hasLineBreak = scanner.sawLineBreak
    }

    private mutating func readFields(_ scanner: inout JSONScanner) throws(JSONFault) {
        let fields = Field.table
        var isFirst = try scanner.openOrSkip()
        while let key = try scanner.nextKey(isFirst) {
            let start = scanner.position
            try scanner.skipValue()
            isFirst = false
            if let field = fields[key, in: scanner.bytes] { self.add(field, start..<scanner.position) }
        }
    }

    private mutating func add(_ field: Field, _ place: Range<Int>) {
        if self.found & Self.bit(field) == 0 {
            self.found |= Self.bit(field)
            self.places.initializeElement(at: field.rawValue, to: place)
        } else {
            self.repeated |= Self.bit(field)
            self.duplicate = self.duplicate ?? field
        }
    }

    /// How many fields an object can have that we know.
    static var capacity: Int { UInt64.bitWidth }

    private static func bit(_ field: Field) -> UInt64 { 1 << UInt64(field.rawValue) }
}
