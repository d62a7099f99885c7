import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// Descriptions, and what the visitors do with them.
@Suite struct DescribedObjectTests {
    @Test(arguments: [
        (#"{"room":"r","kind":"round"}"#, Shape(room: RoomName("r"), kind: .round)),
        (
            #" { "x":[{}], "kind":"sq\u0075are","r\u006fom":"r","size":3,"label":null,"data":[1, 2], "open":false,"corner":null} "#,
            Shape(room: RoomName("r"), kind: .square, size: 3, data: ByteBuffer(string: "[1, 2]"))
        ),
        (
            #"{"room":"r","kind":"square","corner":{"x":-1,"y":18446744073709551615},"tags":["a","b"],"open":true}"#,
            Shape(room: RoomName("r"), kind: .square, corner: Corner(x: -1, y: .max), tags: ["a", "b"], isOpen: true)
        ),
        // a corner is a square's: in another shape nobody looks at it
        (#"{"room":"r","kind":"round","corner":7}"#, Shape(room: RoomName("r"), kind: .round)),
    ])
    func `fields are read`(text: String, shape: Shape) throws {
        #expect(try Shape(checked: ByteBuffer(string: text), names: Shape.names) == shape)
    }

    @Test func `what is written is short, and read as it was`() throws {
        let shape = Shape(
            room: RoomName("a \"b\""),
            kind: .square,
            corner: Corner(x: 0, y: 1),
            tags: ["é"],
            isOpen: true
        )
        var text = ByteBuffer(string: "before ")
        shape.write(to: &text)
        let written = #"{"room":"a \"b\"","kind":"square","corner":{"x":0,"y":1},"tags":["é"],"open":true}"#
        #expect(String(buffer: text) == "before " + written)
        #expect(try Shape(checked: ByteBuffer(string: written), names: Shape.names) == shape)
        text.clear()
        Shape(room: RoomName("r"), kind: .round).write(to: &text)
        #expect(String(buffer: text) == #"{"room":"r","kind":"round"}"#)
    }

    @Test(arguments: [
        ("[]", "it has to be an object, not an array"),
        ("{}", "\"room\" is missing, it has to be the name of a room"),
        (#""room":null"#, "\"room\" is missing, it has to be the name of a room"),
        (#""room":"r""#, "\"kind\" is missing, it has to be one of \"round\", \"square\""),
        (#""room":"","kind":"round""#, "a room name cannot be empty"),
        (#""room":"r","kind":"ro\u0000und""#, "\"kind\" has to be one of \"round\", \"square\", not \"round\""),
        (#""room":"r","kind":"round","size":0"#, "\"size\" has to be an integer from 1 to 5, not 0"),
        (#""room":"r","kind":"round","label":"12345""#, "\"label\" has to have 1 to 4 bytes, not 5"),
        (#""room":"r","kind":"round","tags":{}"#, "\"tags\" has to be an array of strings, not an object"),
        (#""room":"r","kind":"round","tags":["a",1]"#, "\"tags\" has to be an array of strings, not 1"),
        (#""room":"r","kind":"round","tags":["a","b","c"]"#, "\"tags\" can have at most 2 elements"),
        (#""room":"r","kind":"round","open":1"#, "\"open\" has to be true or false, not 1"),
        (#""room":"r","kind":"round","ki\u006ed":0"#, "\"kind\" is given twice; give it once"),
        (#""room":"r","kind":"square","corner":1"#, "\"corner\" has to be an object, not 1"),
        (#""room":"r","kind":"square","corner":{"y":1}"#, "\"corner\" needs \"x\", an integer"),
        (#""room":"r","kind":"square","corner":{"x":1,"y":-1}"#, "\"corner\" needs \"y\", an integer of 0 or more"),
        (#""room":"r","kind":"round","size":5,"open":true"#, "a round shape of size 5 cannot be open"),
    ])
    func `faults name the field`(fields: String, text: String) {
        let line = ByteBuffer(string: fields.hasPrefix("\"") ? "{\(fields)}" : fields)
        let fault = #expect(throws: FieldFault.self) {
            try Shape(checked: line, names: Shape.names, roomNameLimit: 200)
        }
        #expect(fault.map { RequestError($0).text } == text)
    }

    @Test func `line breaks within values become spaces`() throws {
        let text = ByteBuffer(string: "{\n\"room\":\"r\",\"kind\":\"round\",\"data\":{\n\"a\":\"\\n\"}}")
        let shape = try text.withUnsafeReadableBytes { bytes in
            let source = ObjectSource(text: text, bytes: bytes, names: Shape.names, hasLineBreak: true)
            return try ObjectReader.read(Shape.self, from: source, at: bytes.indices)
        }
        #expect(shape.data.map { String(buffer: $0) } == #"{ "a":"\n"}"#)
    }

    @Test func `all fields are listed, those of other forms too`() {
        #expect(
            FieldListing.fields(of: Shape.self).map { "\($0.name) \($0.isRequired) \($0.kind)" } == [
                "room true text", #"kind true word(["round", "square"])"#, "size false integer", "label false text",
                "data false value", "corner false object(\(FieldListing.fields(of: Corner.self)))",
                "tags false array(of: RoomWire.FieldKind.text)", "open false flag",
            ]
        )
        #expect(FieldListing.fields(of: Corner.self).map(\.rule) == [.any, .any])
    }
}

/// A description with each kind of field.
struct Shape: DescribedObject, Equatable {
    enum Kind: String, WordValue {
        case round
        case square
    }

    var room: RoomName
    var kind: Kind
    var size: Int?
    var label: String?
    var data: ByteBuffer?
    var corner: Corner?
    var tags: [String]?
    var isOpen = false

    /// Of all fields, those of a corner too.
    static let names = WordTable([], fieldsOf: [Shape.self])

    init(
        room: RoomName,
        kind: Kind,
        size: Int? = nil,
        data: ByteBuffer? = nil,
        corner: Corner? = nil,
        tags: [String]? = nil,
        isOpen: Bool = false
    ) {
        (self.room, self.kind, self.size, self.data) = (room, kind, size, data)
        (self.corner, self.tags, self.isOpen) = (corner, tags, isOpen)
    }

    init(placeholder: ()) { self.init(room: RoomName(""), kind: .round) }

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("kind", &self.kind)
        try visitor.field("size", &self.size, .within(1...5))
        try visitor.field("label", &self.label, .within(1...4))
        try visitor.field("data", &self.data)
        try visitor.field("corner", &self.corner, when: self.kind == .square)
        try visitor.field("tags", &self.tags, .within(0...2))
        try visitor.field("open", &self.isOpen, or: false)
        if let size, self.isOpen, self.kind == .round {
            try visitor.refuse("a round shape of size \(size) cannot be open")
        }
    }
}

struct Corner: DescribedObject, Equatable {
    var x: Int
    var y: UInt64

    init(x: Int, y: UInt64) {
        (self.x, self.y) = (x, y)
    }

    init(placeholder: ()) { self.init(x: 0, y: 0) }

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("x", &self.x)
        try visitor.field("y", &self.y)
    }
}
