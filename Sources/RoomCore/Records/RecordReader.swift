package import NIOCore
package import RoomModel

/// Reads the parts that records consist of, each with its name for the error. Nothing in the bytes is believed: no length is
/// allocated before so many bytes are there, and no value comes out that the rest of the core cannot bear.
package struct RecordReader {
    private var bytes: ByteBuffer
    private let start: Int

    package init(_ bytes: ByteBuffer) {
        self.bytes = bytes
        self.start = bytes.readerIndex
    }

    /// The bytes that have not been read.
    package var left: Int { self.bytes.readableBytes }

    package func error(_ part: StaticString, _ problem: RecordError.Problem) -> RecordError {
        RecordError(part: "\(part)", offset: self.bytes.readerIndex - self.start, problem: problem)
    }

    package func end() throws(RecordError) {
        guard self.left == 0 else { throw self.error("end", .tooLong(left: self.left)) }
    }

    /// Reads the version of the bytes; another one than that which this release reads is refused.
    package mutating func version(_ known: UInt8, of what: StaticString) throws(RecordError) {
        _ = try self.version(known...known, of: what)
    }

    package mutating func version(_ known: ClosedRange<UInt8>, of what: StaticString) throws(RecordError) -> UInt8 {
        let version = try self.byte("version")
        guard known.contains(version) else {
            let read = known.map { "\($0)" }.joined(separator: " and ")
            throw self.error("version", .unknown("version \(version) of \(what); this release reads \(read)"))
        }
        return version
    }

    package mutating func byte(_ part: StaticString) throws(RecordError) -> UInt8 {
        guard let byte = self.bytes.readInteger(as: UInt8.self) else { throw self.error(part, .cutOff) }
        return byte
    }

    package mutating func number(_ part: StaticString) throws(RecordError) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try self.byte(part)
            let bits = UInt64(byte & 0x7f)
            guard shift < 63 || bits <= 1 else { throw self.error(part, .invalid("a number of more than 64 bits")) }
            number |= bits << shift
            guard byte & 0x80 != 0 else {
                guard byte != 0 || shift == 0 else { throw self.error(part, .invalid("a number with needless bytes")) }
                return number
            }
            shift += 7
            guard shift < 70 else { throw self.error(part, .invalid("a number of more than 64 bits")) }
        }
    }

    package mutating func signed(_ part: StaticString) throws(RecordError) -> Int64 {
        let number = try self.number(part)
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// - Parameter limit: the highest one.
    package mutating func count(_ part: StaticString, of limit: UInt64 = UInt64(Int.max)) throws(RecordError) -> Int {
        let number = try self.number(part)
        guard number <= limit else { throw self.error(part, .invalid("\(number) is more than \(limit)")) }
        return Int(number)
    }

    package mutating func count(_ part: StaticString, in bounds: ClosedRange<Int>) throws(RecordError) -> Int {
        let count = try self.count(part)
        guard bounds.contains(count) else {
            throw self.error(part, .invalid("\(count) is not in \(bounds.lowerBound) to \(bounds.upperBound)"))
        }
        return count
    }

    package mutating func limit(_ part: StaticString) throws(RecordError) -> Int {
        let number = try self.number(part)
        guard number <= UInt64(Int.max) else { throw self.error(part, .invalid("\(number) is not a limit")) }
        return number == 0 ? .max : Int(number - 1)
    }

    /// - Parameter count: how many there are; no other bit may be set.
    package mutating func flags(_ part: StaticString, _ count: UInt8) throws(RecordError) -> RecordFlags {
        let bits = try self.byte(part)
        guard bits >> count == 0 else { throw self.error(part, .unknown("flags \(bits)")) }
        return RecordFlags(bits: bits)
    }

    package mutating func data(_ part: StaticString) throws(RecordError) -> ByteBuffer {
        let length = try self.number(part)
        guard length <= UInt64(self.left), let slice = self.bytes.readSlice(length: Int(length)) else {
            throw self.error(part, .cutOff)
        }
        // a copy: a slice would keep all of the record alive as long as the room has this
        return ByteBuffer(bytes: slice.readableBytesView)
    }

    package mutating func text(_ part: StaticString) throws(RecordError) -> String {
        let length = try self.number(part)
        guard length <= UInt64(self.left), let slice = self.bytes.readSlice(length: Int(length)) else {
            throw self.error(part, .cutOff)
        }
        guard let text = String(validating: slice.readableBytesView, as: UTF8.self) else {
            throw self.error(part, .invalid("no UTF-8"))
        }
        return text
    }

    package mutating func bits(_ part: StaticString) throws(RecordError) -> UInt64 {
        guard let bits = self.bytes.readInteger(as: UInt64.self) else { throw self.error(part, .cutOff) }
        return bits
    }

    package mutating func id(_ part: StaticString) throws(RecordError) -> UniqueID {
        UniqueID(high: try self.bits(part), low: try self.bits(part))
    }

    /// Milliseconds as an id has them: 48 bits.
    package mutating func time(_ part: StaticString) throws(RecordError) -> Int64 {
        Int64(try self.count(part, of: 1 << 48 - 1))
    }
}

/// Bits, the first one lowest.
package struct RecordFlags {
    package let bits: UInt8

    init(bits: UInt8) { self.bits = bits }

    init(_ flags: [Bool]) {
        self.bits = flags.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    package subscript(index: UInt8) -> Bool { self.bits >> index & 1 != 0 }

    package var two: (Bool, Bool) { (self[0], self[1]) }
}
