package import NIOCore
import RoomJSON
import RoomModel
package import RoomWire

/// A document of the admin API, described once: the broker writes it and clients read it, or the other way round.
package protocol AdminDocument: DescribedObject, Sendable {
    /// Reads the whole text.
    ///
    /// - Parameter names: those of the type; who reads many documents makes the table once.
    init(reading json: ByteBuffer, names: WordTable) throws(FieldFault)
}

extension AdminDocument {
    /// The names of all fields that the document and the objects in it can have.
    package static var names: WordTable { WordTable([], fieldsOf: [Self.self]) }

    package init(reading json: ByteBuffer, names: WordTable) throws(FieldFault) {
        self = try Self.read(json, names)
    }

    /// Reads what is described.
    static func read(_ json: ByteBuffer, _ names: WordTable) throws(FieldFault) -> Self {
        let fault = json.withUnsafeReadableBytes { bytes -> RequestError? in
            do throws(JSONFault) {
                _ = try JSONScanner.check(bytes, nestingLimit: 64)
                return nil
            } catch {
                return RequestError(error.code, error.text(in: bytes, nestingLimit: 64))
            }
        }
        if let fault { throw FieldFault(.refused(fault)) }
        return try Self(checked: json, names: names)
    }

    package var json: ByteBuffer {
        var json = ByteBuffer()
        self.write(to: &json)
        return json
    }
}

/// A time in seconds, of which milliseconds count: written with them where there are some.
package struct Seconds: FieldValue {
    package var value: Double

    package init(_ value: Double) { self.value = value }

    package init(_ duration: Duration) { self.value = duration / .seconds(1) }

    fileprivate var milliseconds: Int64 { Int64(exactly: (self.value * 1_000).rounded()) ?? .max }

    package static func kind(_ rule: FieldRule) -> FieldKind { .number }

    package static func right(_ rule: FieldRule) -> String {
        guard case .within(let bounds) = rule else { return "a number" }
        return "seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Seconds {
        guard let seconds = try? Double.read(found, .any), abs(seconds) < 1e12 else {
            throw found.misfit(Self.right(rule))
        }
        let value = (seconds * 1_000).rounded() / 1_000
        if case .within(let bounds) = rule, value < Double(bounds.lowerBound) || value > Double(bounds.upperBound) {
            throw found.misfit(Self.right(rule))
        }
        return Seconds(value)
    }

    package func write(to buffer: inout ByteBuffer) {
        let milliseconds = self.milliseconds
        buffer.writeDecimal(milliseconds / 1_000)
        if milliseconds % 1_000 != 0 { buffer.writeString(".\(String(1_000 + milliseconds % 1_000).dropFirst())") }
    }
}

/// A whole number of a body. As JSON Schema has it, `5.0` and `5e0` are some, too.
package struct WholeNumber: FieldValue {
    /// As it is written.
    private let digits: String
    package let value: Int

    package init(_ value: Int) { (self.digits, self.value) = ("\(value)", value) }

    /// - Parameter duration: in seconds. A fraction is written, too: the broker refuses it.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.digits = attoseconds == 0 ? "\(seconds)" : "\(duration / .seconds(1))"
        self.value = Int(seconds)
    }

    private init?(digits: String) {
        guard let value = Int(digits) ?? Double(digits).flatMap({ Int(exactly: $0) }) else { return nil }
        (self.digits, self.value) = (digits, value)
    }

    package static func kind(_ rule: FieldRule) -> FieldKind { .integer }

    package static func right(_ rule: FieldRule) -> String {
        guard case .within(let bounds) = rule else { return "a whole number" }
        return "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> WholeNumber {
        let isNumber = found.first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= found.first
        guard isNumber, let number = WholeNumber(digits: String(decoding: found.bytes, as: UTF8.self)) else {
            throw found.misfit(Self.right(rule))
        }
        if case .within(let bounds) = rule, !bounds.contains(number.value) { throw found.misfit(Self.right(rule)) }
        return number
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeString(self.digits) }
}

extension FieldVisitor where Self: ~Copyable {
    /// A field that is always written, and that older brokers do not have.
    package mutating func field<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        orAbsent usual: Value
    ) throws(Fault) {
        var field = Optional(value)
        try self.field(name, &field)
        value = field ?? usual
    }

    /// Any JSON value, `null` included, byte for byte.
    package mutating func raw(_ name: StaticString, _ value: inout ByteBuffer?) throws(Fault) {
        var field = value.map { Nullable.value($0) } ?? .absent
        try self.change(name, &field)
        value = field == .null ? ByteBuffer(string: "null") : field.value
    }

    package mutating func whole(_ name: StaticString, _ value: inout Int?, _ bounds: ClosedRange<Int>) throws(Fault) {
        var number = value.map { WholeNumber($0) }
        try self.field(name, &number, .within(bounds))
        value = number?.value
    }

    package mutating func seconds(
        _ name: StaticString,
        _ value: inout Duration?,
        _ bounds: ClosedRange<Int>
    ) throws(Fault) {
        var seconds = value.map { Seconds($0) }
        try self.field(name, &seconds, .within(bounds))
        value = seconds.map { .milliseconds($0.milliseconds) }
    }

    /// Whole seconds.
    package mutating func whole(
        _ name: StaticString,
        _ value: inout Duration?,
        _ bounds: ClosedRange<Int>
    ) throws(Fault) {
        var number = value.map { WholeNumber($0) }
        try self.field(name, &number, .within(bounds))
        value = number.map { .seconds($0.value) }
    }

    /// A whole number of a change; 0 is the same as `null`.
    package mutating func change(
        _ name: StaticString,
        _ value: inout Nullable<Int>,
        within bounds: ClosedRange<Int>
    ) throws(Fault) {
        var number = value.map { WholeNumber($0) }
        try self.change(name, &number, .within(bounds))
        value = number.map(\.value)
        if value == .value(0) { value = .null }
    }
}

/// Values by names, which are not known before.
extension Dictionary: FieldValue where Key == String, Value: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .object([]) }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> [String: Value] {
        guard found.first == UInt8(ascii: "{") else { throw found.misfit(Self.right(rule)) }
        var values: [String: Value] = [:]
        for (name, place) in JSONFields.places(in: found.bytes) {
            let place = (found.place.lowerBound + place.lowerBound)..<(found.place.lowerBound + place.upperBound)
            values[name] = try Value.read(found.part(place), rule)
        }
        return values
    }

    /// In the order of the names.
    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("{")
        for (index, (name, value)) in self.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { buffer.writeStaticString(",") }
            buffer.writeJSONString(name)
            buffer.writeStaticString(":")
            value.write(to: &buffer)
        }
        buffer.writeStaticString("}")
    }
}
