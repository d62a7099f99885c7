/// A value that stands in records.
package protocol Recorded {
    /// - Parameter part: the name of it for the error, where it has none of its own.
    static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self

    func write(to writer: inout RecordWriter)
}

/// A value of which the parts are described once, in their order, for reading and for writing.
package protocol RecordParts: Recorded {
    /// A value for a reader to fill in.
    init(placeholder: ())

    mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault)
}

extension RecordParts {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self {
        var value = Self(placeholder: ())
        try value.parts(&reader)
        return value
    }

    package func write(to writer: inout RecordWriter) {
        var value = self
        value.parts(&writer)
    }
}

/// A pass over the parts of a value: ``RecordReader`` fills them in, ``RecordWriter`` writes them down.
package protocol RecordVisitor {
    associatedtype Fault: Error

    mutating func flags(_ part: StaticString, _ flags: Bool...) throws(Fault) -> RecordFlags
    mutating func part<Value: Recorded>(_ part: StaticString, _ value: inout Value) throws(Fault)
    mutating func part<Value: Recorded>(_ part: StaticString, _ value: inout Value?, if isThere: Bool) throws(Fault)
    mutating func count(_ part: StaticString, _ count: inout Int, in bounds: ClosedRange<Int>) throws(Fault)
    mutating func limit(_ part: StaticString, _ limit: inout Int) throws(Fault)

    /// Refuses a part that was read and is not right; a part that is written is.
    func check(_ part: StaticString, _ isRight: Bool, _ problem: @autoclosure () -> String) throws(Fault)
}

extension RecordVisitor {
    mutating func count(
        _ part: StaticString,
        _ count: inout Int?,
        in bounds: ClosedRange<Int>,
        if isThere: Bool
    ) throws(Fault) {
        guard isThere else { return }
        var some = count ?? bounds.lowerBound
        try self.count(part, &some, in: bounds)
        count = some
    }
}

extension RecordReader: RecordVisitor {
    package mutating func flags(_ part: StaticString, _ flags: Bool...) throws(RecordError) -> RecordFlags {
        try self.flags(part, UInt8(flags.count))
    }

    package mutating func part<Value: Recorded>(_ part: StaticString, _ value: inout Value) throws(RecordError) {
        value = try Value.read(part, from: &self)
    }

    package mutating func part<Value: Recorded>(
        _ part: StaticString,
        _ value: inout Value?,
        if isThere: Bool
    ) throws(RecordError) {
        value = isThere ? try Value.read(part, from: &self) : nil
    }

    package mutating func count(
        _ part: StaticString,
        _ count: inout Int,
        in bounds: ClosedRange<Int>
    ) throws(RecordError) {
        count = try self.count(part, in: bounds)
    }

    package mutating func limit(_ part: StaticString, _ limit: inout Int) throws(RecordError) {
        limit = try self.limit(part)
    }

    package func check(
        _ part: StaticString,
        _ isRight: Bool,
        _ problem: @autoclosure () -> String
    ) throws(RecordError) {
        guard isRight else { throw self.error(part, .invalid(problem())) }
    }

    package mutating func read<Value: Recorded>(_ part: StaticString) throws(RecordError) -> Value {
        try Value.read(part, from: &self)
    }
}

extension RecordWriter: RecordVisitor {
    package mutating func flags(_ part: StaticString, _ flags: Bool...) -> RecordFlags {
        let flags = RecordFlags(flags)
        self.write(byte: flags.bits)
        return flags
    }

    package mutating func part<Value: Recorded>(_ part: StaticString, _ value: inout Value) { self.write(value) }

    package mutating func part<Value: Recorded>(_ part: StaticString, _ value: inout Value?, if isThere: Bool) {
        if isThere, let value { self.write(value) }
    }

    package mutating func count(_ part: StaticString, _ count: inout Int, in bounds: ClosedRange<Int>) {
        self.write(count: count)
    }

    package mutating func limit(_ part: StaticString, _ limit: inout Int) { self.write(limit: limit) }

    package func check(_ part: StaticString, _ isRight: Bool, _ problem: @autoclosure () -> String) {}

    package mutating func write(_ value: some Recorded) { value.write(to: &self) }
}
