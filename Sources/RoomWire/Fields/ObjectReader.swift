package import NIOCore
import RoomJSON
import RoomModel

/// Reads an object as its description says, from a text that was checked before.
///
/// The text is scanned once, and of its fields only those are kept that the table of names has: a text with thousands of others costs
/// no memory. The frames of one side share a table.
struct ObjectReader: FieldVisitor, ~Copyable {
    private let source: ObjectSource
    private let scan: FieldScan

    /// Reads the object of which the fields have been found.
    static func read<Object: DescribedObject>(
        _: Object.Type = Object.self,
        from source: ObjectSource,
        _ scan: FieldScan
    ) throws(FieldFault) -> Object {
        var reader = ObjectReader(source: source, scan: scan)
        var object = Object(placeholder: ())
        try object.fields(&reader)
        return object
    }

    /// Reads the object at `place`.
    static func read<Object: DescribedObject>(
        _: Object.Type = Object.self,
        from source: ObjectSource,
        at place: Range<Int>
    ) throws(FieldFault) -> Object {
        guard source.bytes[place.lowerBound] == UInt8(ascii: "{") else {
            let value = source.text.slice(at: place) ?? ByteBuffer()
            throw FieldFault(.misfit(right: Object.right(.any), value: value, excerpt: nil))
        }
        return try FieldScan.reading(source.names) { scan throws(FieldFault) in
            scan.read(source.bytes, at: place.lowerBound)
            return try Self.read(from: source, scan)
        }
    }

    var takesAll: Bool { false }

    mutating func required<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule
    ) throws(FieldFault) {
        guard let place = try self.find(name), !self.isNull(place) || Value.takesNull(rule) else {
            throw FieldFault(.missing(right: Value.right(rule)), path: ["\(name)"])
        }
        value = try Value.read(FoundValue(source: self.source, name: name, place: place), rule)
    }

    mutating func optional<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule
    ) throws(FieldFault) {
        guard let place = try self.find(name), !self.isNull(place) else {
            value = nil
            return
        }
        value = try Value.read(FoundValue(source: self.source, name: name, place: place), rule)
    }

    mutating func nullable<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Nullable<Value>,
        _ rule: FieldRule,
        isRequired: Bool
    ) throws(FieldFault) {
        guard let place = try self.find(name) else {
            value = .absent
            return
        }
        let found = FoundValue(source: self.source, name: name, place: place)
        value = self.isNull(place) ? .null : .value(try Value.read(found, rule))
    }

    mutating func refuse(_ error: @autoclosure () -> RequestError) throws(FieldFault) {
        throw FieldFault(.refused(error()))
    }

    private func isNull(_ place: Range<Int>) -> Bool { self.source.bytes[place.lowerBound] == UInt8(ascii: "n") }

    private func find(_ name: StaticString) throws(FieldFault) -> Range<Int>? {
        guard let index = self.scan.names[name] else {
            assertionFailure("\(name) is missing in the table of names")
            return nil
        }
        if self.scan.isRepeated(index) { throw FieldFault(.repeated, path: ["\(name)"]) }
        return self.scan[index]
    }
}

extension DescribedObject {
    /// Reads the object that is the whole text, with blanks around it at most. The text is lent for the time of the reading.
    ///
    /// - Parameters:
    ///   - text: JSON that was checked before.
    ///   - names: all that the object and those in it can have.
    ///   - roomNameLimit: see ``ObjectSource``.
    package init(checked text: ByteBuffer, names: WordTable, roomNameLimit: Int? = nil) throws(FieldFault) {
        self = try text.withUnsafeReadableBytes { bytes throws(FieldFault) in
            var scanner = JSONScanner(bytes)
            scanner.skipBlanks()
            let source = ObjectSource(text: text, bytes: bytes, names: names, roomNameLimit: roomNameLimit)
            return try ObjectReader.read(from: source, at: scanner.position..<bytes.count)
        }
    }
}
