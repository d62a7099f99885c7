import RoomJSON
import Testing

/// Values of texts that may come from a stranger, above all the two parts of a token.
@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", "null"), (" true ", "bool true"), ("false", "bool false"), ("-1.50e3", "number -1.50e3 -1500.0"),
        ("1e400", "number 1e400 inf"), (#""a\u00e4\ud83d\ude00\/""#, "string aä😀/"), (#""\u0000""#, "string \u{0}"),
        (#""\ud800""#, "string without text"), (#""\udc00\ud800""#, "string without text"), ("{}", "object"),
        ("[1]", "array"),
    ])
    func `a value is of one kind`(text: String, kind: String) {
        let found = JSONValue.reading(Array(text.utf8), nestingLimit: 8) { value in value.map(Self.kind) }
        #expect(found == kind)
    }

    private static func kind(_ value: JSONValue) -> String {
        if value.isNull { return "null" }
        if let bool = value.bool { return "bool \(bool)" }
        if let digits = value.digits, let number = value.number { return "number \(digits) \(number)" }
        if value.isString { return value.string.map { "string \($0)" } ?? "string without text" }
        return value.fields == nil ? "array" : "object"
    }

    @Test func `fields come in their order, repeated ones too, by their unescaped names`() {
        let text = #" {"b": [1, 2] ,"\u0062":{"c":"}"}, "\ud800":0,"":{ } } "#
        let fields = JSONValue.reading(Array(text.utf8), nestingLimit: 8) { value in
            value?.fields?.map { "\($0.name ?? "-") \(String(decoding: $0.value.bytes, as: UTF8.self))" }
        }
        #expect(fields == ["b [1, 2]", #"b {"c":"}"}"#, "- 0", " { }"])
    }

    @Test func `an object in an object is read as one by itself`() {
        let names = JSONValue.reading(Array(#"{"a":{"x":{"deep":1},"y":2},"z":3}"#.utf8), nestingLimit: 8) { value in
            value?.fields?.compactMap { $0.value.fields.map { $0.compactMap(\.name) } }
        }
        #expect(names == [["x", "y"]])
    }

    @Test(
        arguments: [
            "", " ", "{", "{}x", "{} {}", "\u{feff}{}", "{\"a\":1,}", "{'a':1}", "[01]", "\"\n\"", "nul", "[[[]]]",
        ]
    )
    func `what is not a value, or too deep, is none`(text: String) {
        #expect(JSONValue.reading(Array(text.utf8), nestingLimit: 2) { $0 == nil })
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE2, 0x82],
    ])
    func `what is not UTF-8 is none`(bytes: [UInt8]) {
        #expect(JSONValue.reading(bytes, nestingLimit: 2) { $0 == nil })
    }
}
