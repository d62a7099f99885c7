import RoomModel

/// Where the known fields of one frame stand in its line. The places are in memory that the caller lends for the time of
/// the decoding, so that a scan allocates nothing.
struct FrameScan {
    private let places: UnsafeMutableBufferPointer<Range<Int>>
    /// One bit for each field.
    private var found: UInt32 = 0
    private var repeated: UInt32 = 0
    /// The first repeated field.
    private(set) var duplicate: FrameField?
    /// See ``JSONScanner/concern``.
    private(set) var concern: JSONFault?
    /// A CR or LF stands between two tokens, perhaps within a value.
    private(set) var hasLineBreak = false

    init(places: UnsafeMutableBufferPointer<Range<Int>>) {
        self.places = places
    }

    /// The place of the field's value; of a field that stands twice, that of the first.
    subscript(_ field: FrameField) -> Range<Int>? {
        self.found & Self.bit(field) == 0 ? nil : self.places[field.rawValue]
    }

    func isRepeated(_ field: FrameField) -> Bool { self.repeated & Self.bit(field) != 0 }

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
        var isFirst = try scanner.openOrSkip()
        while let key = try scanner.nextKey(isFirst) {
            let start = scanner.position
            try scanner.skipValue()
            isFirst = false
            if let field = FrameField(key, in: scanner.bytes) { self.add(field, start..<scanner.position) }
        }
    }

    private mutating func add(_ field: FrameField, _ place: Range<Int>) {
        if self.found & Self.bit(field) == 0 {
            self.found |= Self.bit(field)
            self.places.initializeElement(at: field.rawValue, to: place)
        } else {
            self.repeated |= Self.bit(field)
            self.duplicate = self.duplicate ?? field
        }
    }

    private static func bit(_ field: FrameField) -> UInt32 { 1 << UInt32(field.rawValue) }
}
