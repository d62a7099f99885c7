import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one scanned frame, and says what is wrong with those that do not fit.
/// An optional field that is `null` counts as absent.
protocol FieldReader {
    associatedtype Field: WireWord
    associatedtype Fault: Error

    var line: ByteBuffer { get }
    /// The bytes of the line.
    var bytes: UnsafeRawBufferPointer { get }
    var scan: FieldScan { get }

    func fault(_ code: Code, _ text: String) -> Fault
}

extension FieldReader {
    /// The place of a value that is there and is not `null`.
    func value(_ field: Field) -> Range<Int>? {
        guard let place = self.scan[field], self.bytes[place.lowerBound] != UInt8(ascii: "n") else { return nil }
        return place
    }

    func string(_ field: Field) throws(Fault) -> String? {
        guard let place = self.value(field) else { return nil }
        return try self.text(at: place, field)
    }

    func flag(_ field: Field) throws(Fault) -> Bool? {
        guard let place = self.value(field) else { return nil }
        switch self.bytes[place.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw self.misfit(field, "true or false", place)
        }
    }

    func integer<Number: FixedWidthInteger>(
        _ field: Field,
        atLeast least: Number = .min
    ) throws(Fault) -> Number? {
        guard let place = self.value(field) else { return nil }
        let integer = JSONInteger(self.bytes.slice(place))
        let number = integer.flatMap { Number($0) }
        if let number, number >= least { return number }
        if number == nil, let integer, !integer.isNegative {
            throw self.misfit(field, "an integer of \(Number.max) at most", place)
        }
        let bound = least == .min && Number.isSigned ? "" : " of \(least) or more"
        throw self.misfit(field, "an integer\(bound)", place)
    }

    /// The text of the string at `place`.
    func text(at place: Range<Int>, _ field: Field) throws(Fault) -> String {
        guard let text = JSONString.text(try self.content(at: place, field)) else {
            throw self.fault(.invalidField, "\"\(field.name)\" has half of a surrogate pair in its escapes")
        }
        return text
    }

    func missing(_ field: Field, _ right: String) -> Fault {
        self.fault(.missingField, "\"\(field.name)\" is missing, it has to be \(right)")
    }

    func misfit(_ field: Field, _ right: String, _ place: Range<Int>) -> Fault {
        let kind = ErrorText.kind(ofValue: self.bytes.slice(place))
        return self.fault(.invalidField, "\"\(field.name)\" has to be \(right), not \(kind)")
    }

    /// The bytes between the quotes of the string at `place`.
    func content(at place: Range<Int>, _ field: Field) throws(Fault) -> UnsafeRawBufferPointer {
        guard let content = JSONString.content(at: place, in: self.bytes) else {
            throw self.misfit(field, "a string", place)
        }
        return content
    }

    /// The word that the string at `place` is; `nil` for one that we do not know.
    func word<Word: WireWord>(at place: Range<Int>, _ field: Field) throws(Fault) -> Word? {
        if let word = Word(name: try self.content(at: place, field)) { return word }
        // Only what matches no name as it stands is worth unescaping.
        var text = try self.text(at: place, field)
        return text.withUTF8 { Word(name: UnsafeRawBufferPointer($0)) }
    }

    func uniqueID(_ field: Field) throws(Fault) -> UniqueID? {
        guard let place = self.value(field) else { return nil }
        if let id = UniqueID(try self.content(at: place, field)) { return id }
        let text = try self.text(at: place, field)
        guard let id = UniqueID(text.utf8) else {
            throw self.fault(
                .invalidField,
                "\"\(field.name)\" has to be a UUID of 36 characters, not \"\(ErrorText.excerpt(text))\""
            )
        }
        return id
    }

    /// The bytes of a value as they stand in the line, and in its memory.
    func slice(_ place: Range<Int>) -> ByteBuffer {
        self.line.slice(at: place) ?? ByteBuffer()  // it is always there: the place was found in the line
    }
}
