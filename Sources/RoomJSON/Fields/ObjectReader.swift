package import NIOCore
package import RoomModel

/// Reads an object as its description says, from a text that was checked before.
///
/// The first walk over the description takes the names. Then the text is scanned once, and of its keys only those with such a name are
/// kept: a text with thousands of others costs no memory. The second walk reads the values.
package struct ObjectReader: FieldVisitor, ~Copyable {
    private struct Field {
        let name: StaticString
        var place: Range<Int>?
    }

    @usableFromInline let source: ObjectSource
    private var fields: [Field] = []
    /// The field after the one that was read last: descriptions are walked in the same order.
    private var next = 0
    @usableFromInline package internal(set) var takesAll = true

    /// Reads the object at `place`.
    @inlinable package static func read<Object: DescribedObject>(
        _: Object.Type = Object.self,
        from source: ObjectSource,
        at place: Range<Int>
    ) throws(FieldFault) -> Object {
        var reader = ObjectReader(source: source)
        var object = Object(placeholder: ())
        try object.fields(&reader)
        guard source.bytes[place.lowerBound] == UInt8(ascii: "{") else {
            let value = source.text.slice(at: place) ?? ByteBuffer()
            throw FieldFault(.misfit(right: Object.right(.any), value: value, excerpt: nil))
        }
        try reader.scan(place)
        reader.takesAll = false
        try object.fields(&reader)
        return object
    }

    /// Reads the object that is the whole text, with blanks around it at most.
    @inlinable package static func read<Object: DescribedObject>(
        _: Object.Type = Object.self,
        from source: ObjectSource
    ) throws(FieldFault) -> Object {
        var scanner = JSONScanner(source.bytes)
        scanner.skipBlanks()
        return try Self.read(from: source, at: scanner.position..<source.bytes.count)
    }

    /// As above, with a text that is lent for the time of the reading.
    ///
    /// - Parameters:
    ///   - limits: those of what clients send; `nil` where the sender has checked its names itself.
    ///   - refusesUnknown: for the body of a request, in which a field that nobody knows may be a slip.
    @inlinable package static func read<Object: DescribedObject>(
        _: Object.Type = Object.self,
        from text: ByteBuffer,
        limits: FrameLimits? = nil,
        refusesUnknown: Bool = false
    ) throws(FieldFault) -> Object {
        try text.withUnsafeReadableBytes { bytes throws(FieldFault) in
            try Self.read(from: ObjectSource(text, bytes, limits: limits, refusesUnknown: refusesUnknown))
        }
    }

    @usableFromInline init(source: ObjectSource) {
        self.source = source
        self.fields.reserveCapacity(16)
    }

    @usableFromInline mutating func scan(_ place: Range<Int>) throws(FieldFault) {
        let bytes = self.source.bytes
        var scanner = JSONScanner(bytes)
        scanner.position = place.lowerBound
        var fault: FieldFault?
        do throws(JSONFault) {
            var isFirst = try scanner.openOrSkip()
            while let key = try scanner.nextKey(isFirst) {
                let start = scanner.position
                try scanner.skipValue()
                isFirst = false
                if let unfit = self.keep(key, start..<scanner.position) { fault = fault ?? unfit }
            }
        } catch {
            // The text was checked before, so this is its end.
        }
        if let fault { throw fault }
    }

    private mutating func keep(_ key: JSONKey, _ place: Range<Int>) -> FieldFault? {
        let bytes = self.source.bytes
        var index = 0
        while index < self.fields.count, !key.equals(self.fields[index].name, in: bytes) { index += 1 }
        guard index < self.fields.count else {
            guard self.source.refusesUnknown else { return nil }
            let name = JSONString.text(bytes.slice(key.range)) ?? ""
            return FieldFault(.unknown(known: self.fields.map { "\($0.name)" }), path: [name])
        }
        guard self.fields[index].place == nil else {
            return FieldFault(.repeated, path: ["\(self.fields[index].name)"])
        }
        self.fields[index].place = place
        return nil
    }

    @inlinable package mutating func required<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule
    ) throws(FieldFault) {
        if self.takesAll { return self.list(name) }
        guard let found = self.find(name), Value.takesNull(rule) || !found.isNull else {
            throw FieldFault(.missing(right: Value.right(rule)), path: ["\(name)"])
        }
        value = try Value.read(found, rule)
    }

    @inlinable package mutating func optional<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule
    ) throws(FieldFault) {
        if self.takesAll { return self.list(name) }
        guard let found = self.find(name), !found.isNull else {
            value = nil
            return
        }
        value = try Value.read(found, rule)
    }

    @inlinable package mutating func refuse(_ error: @autoclosure () -> RequestError) throws(FieldFault) {
        if !self.takesAll { throw FieldFault(.refused(error())) }
    }

    @usableFromInline mutating func list(_ name: StaticString) {
        self.fields.append(Field(name: name))
    }

    @usableFromInline mutating func find(_ name: StaticString) -> FoundValue? {
        var passed = 0
        while passed < self.fields.count {
            let field = self.fields[self.next % self.fields.count]
            self.next = (self.next + 1) % self.fields.count
            passed += 1
            guard field.name.equals(name) else { continue }
            return field.place.map { FoundValue(source: self.source, name: name, place: $0) }
        }
        return nil
    }
}

extension StaticString {
    fileprivate func equals(_ other: StaticString) -> Bool {
        UnsafeRawBufferPointer(start: self.utf8Start, count: self.utf8CodeUnitCount).equals(other)
    }
}
