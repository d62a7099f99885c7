import NIOCore
import RoomModel

/// Reads the fields of one scanned frame as what requests are made of, and says what is wrong with those that do not fit.
/// An optional field that is `null` counts as absent.
struct FrameReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan
    let limits: FrameLimits

    /// The place of a value that is there and is not `null`.
    func value(_ field: FrameField) -> Range<Int>? {
        guard let place = self.scan[field], self.bytes[place.lowerBound] != UInt8(ascii: "n") else { return nil }
        return place
    }

    func string(_ field: FrameField) throws(RequestError) -> String? {
        guard let place = self.value(field) else { return nil }
        return try self.text(at: place, field)
    }

    func requiredString(_ field: FrameField) throws(RequestError) -> String {
        guard let text = try self.string(field) else { throw self.missing(field, "a string") }
        return text
    }

    func flag(_ field: FrameField) throws(RequestError) -> Bool? {
        guard let place = self.value(field) else { return nil }
        switch self.bytes[place.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw self.misfit(field, "true or false", place)
        }
    }

    func integer<Number: FixedWidthInteger>(
        _ field: FrameField,
        atLeast least: Number = .min
    ) throws(RequestError) -> Number? {
        guard let place = self.value(field) else { return nil }
        let bound = least == .min && Number.isSigned ? "" : " of \(least) or more"
        switch JSONInteger.read(self.bytes.slice(place), as: Number.self) {
        case .value(let number) where number >= least: return number
        case .value, .tooSmall: throw self.misfit(field, "an integer\(bound)", place)
        case .tooLarge: throw self.misfit(field, "an integer of \(Number.max) at most", place)
        case .notAnInteger: throw self.misfit(field, "an integer\(bound)", place)
        }
    }

    /// A JSON value of any kind as its bytes: a slice of the line, or of a copy where line breaks had to go.
    func json(_ place: Range<Int>, _ field: FrameField, limit: Int) throws(RequestError) -> ByteBuffer {
        guard place.count <= limit else {
            throw RequestError(.messageTooLarge, "\"\(field.name)\" has \(place.count) bytes, the limit is \(limit)")
        }
        let start = self.line.readerIndex + place.lowerBound
        guard let value = self.line.getSlice(at: start, length: place.count) else {
            throw self.missing(field, "a value")
        }
        return self.scan.hasLineBreak ? value.withoutLineBreaks() : value
    }

    /// The text of the string at `place`.
    func text(at place: Range<Int>, _ field: FrameField) throws(RequestError) -> String {
        guard self.bytes[place.lowerBound] == UInt8(ascii: "\"") else { throw self.misfit(field, "a string", place) }
        guard let text = JSONString.text(self.bytes.slice((place.lowerBound + 1)..<(place.upperBound - 1))) else {
            throw RequestError(.invalidField, "\"\(field.name)\" has half of a surrogate pair in its escapes")
        }
        return text
    }

    func missing(_ field: FrameField, _ right: String) -> RequestError {
        RequestError(.missingField, "\"\(field.name)\" is missing, it has to be \(right)")
    }

    func misfit(_ field: FrameField, _ right: String, _ place: Range<Int>) -> RequestError {
        let kind = ErrorText.kind(ofValue: self.bytes.slice(place))
        return RequestError(.invalidField, "\"\(field.name)\" has to be \(right), not \(kind)")
    }
}
