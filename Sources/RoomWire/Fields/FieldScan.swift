import RoomJSON

/// The places of the named fields in the text of one object, usually a frame. The places are in memory that
/// ``reading(_:_:)`` lends for the time of the decoding, so that a scan allocates nothing.
struct FieldScan {
    let names: WordTable
    private let places: UnsafeMutableBufferPointer<Range<Int>>
    /// One bit for each field, hence the capacity.
    private var found: UInt64 = 0
    private var repeated: UInt64 = 0
    /// See ``JSONScanner/concern``.
    private(set) var concern: JSONFault?
    /// A CR or LF stands between two tokens, perhaps within a value.
    private(set) var hasLineBreak = false

    init(names: WordTable, places: UnsafeMutableBufferPointer<Range<Int>>) {
        self.names = names
        self.places = places
    }

    /// Gives `body` an empty scan, which must not leave it.
    @inline(__always)
    static func reading<Value, Fault: Error>(
        _ names: WordTable,
        _ body: (inout FieldScan) throws(Fault) -> Value
    ) throws(Fault) -> Value {
        try withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: Self.capacity) { places throws(Fault) in
            var scan = FieldScan(names: names, places: places)
            return try body(&scan)
        }
    }

    /// The place of the value of the field with this place among the names; of a field that stands twice, that of the first.
    subscript(index: Int) -> Range<Int>? {
        self.found & Self.bit(index) == 0 ? nil : self.places[index]
    }

    func isRepeated(_ index: Int) -> Bool { self.repeated & Self.bit(index) != 0 }

    /// A repeated field that is in no description. (One that is described is a fault where the frame has it: see ``ObjectReader``.)
    var duplicate: String? {
        let fields = self.repeated & (Self.bit(self.names.undescribed) &- 1)
        return fields == 0 ? nil : self.names.words[fields.trailingZeroBitCount]
    }

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

    /// Reads the object that begins here, in a text that was checked before.
    mutating func read(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        var scanner = JSONScanner(bytes)
        scanner.position = start
        // The text was checked, so nothing can be wrong.
        try? self.readFields(&scanner)
    }

    private mutating func readFields(_ scanner: inout JSONScanner) throws(JSONFault) {
        var isFirst = try scanner.openOrSkip()
        while let key = try scanner.nextKey(isFirst) {
            let start = scanner.position
            try scanner.skipValue()
            isFirst = false
            if let field = self.names[key, in: scanner.bytes] { self.add(field, start..<scanner.position) }
        }
    }

    private mutating func add(_ field: Int, _ place: Range<Int>) {
        if self.found & Self.bit(field) == 0 {
            self.found |= Self.bit(field)
            self.places.initializeElement(at: field, to: place)
        } else {
            self.repeated |= Self.bit(field)
        }
    }

    /// How many fields can have names.
    static var capacity: Int { UInt64.bitWidth }

    private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index) }
}
