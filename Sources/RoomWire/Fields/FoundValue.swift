import NIOCore
import RoomJSON
import RoomModel

/// The checked text that objects are read from. Its bytes are lent: it must not leave the closure that lends them.
package struct ObjectSource {
    let text: ByteBuffer
    /// The bytes of the text.
    let bytes: UnsafeRawBufferPointer
    /// The names of all fields that the objects can have.
    let names: WordTable
    /// How long the name of a room can be, in bytes; `nil` where the sender has checked its names itself.
    var roomNameLimit: Int?
    /// How many rooms one frame can name.
    var roomLimit = Int.max
    /// A CR or LF stands between two tokens; they are taken out of values that pass byte for byte.
    var hasLineBreak = false
}

/// The value of one field where it stands in the text, and what is said of it when it does not fit.
package struct FoundValue {
    package let source: ObjectSource
    package let name: StaticString
    package let place: Range<Int>

    package var bytes: UnsafeRawBufferPointer { self.source.bytes.slice(self.place) }
    package var first: UInt8 { self.source.bytes[self.place.lowerBound] }

    /// The value byte for byte, in the memory of the text; in memory of its own where line breaks had to go.
    var json: ByteBuffer {
        let value = self.slice
        return self.source.hasLineBreak ? value.withoutLineBreaks() : value
    }

    /// The bytes of the value, which are always there: the place was found in the text.
    private var slice: ByteBuffer { self.source.text.slice(at: self.place) ?? ByteBuffer() }

    /// The bytes between the quotes of a string.
    func content() throws(FieldFault) -> UnsafeRawBufferPointer {
        guard let content = JSONString.content(at: self.place, in: self.source.bytes) else {
            throw self.misfit("a string")
        }
        return content
    }

    func text() throws(FieldFault) -> String {
        guard let text = JSONString.text(try self.content()) else {
            throw self.unfit("has half of a surrogate pair in its escapes")
        }
        return text
    }

    /// The places of the elements of an array.
    ///
    /// - Parameter right: what the value has to be if it is none.
    func elements(_ right: String) throws(FieldFault) -> JSONElements {
        guard self.first == UInt8(ascii: "[") else { throw self.misfit(right) }
        return JSONElements(self.source.bytes, at: self.place)
    }

    /// A part of the value, under the same name.
    package func part(_ place: Range<Int>) -> FoundValue {
        FoundValue(source: self.source, name: self.name, place: place)
    }

    package func misfit(_ right: String, excerpt: String? = nil) -> FieldFault {
        FieldFault(.misfit(right: right, value: self.slice, excerpt: excerpt), path: ["\(self.name)"])
    }

    func unfit(_ text: String) -> FieldFault { FieldFault(.unfit(text), path: ["\(self.name)"]) }
}
