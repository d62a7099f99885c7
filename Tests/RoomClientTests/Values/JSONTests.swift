import Foundation
import NIOCore
import Testing

@testable import RoomClient

struct JSONTests {
    private struct Point: Codable, Equatable {
        var x: Int
        var y: Double?
    }

    private struct Envelope: Codable, Equatable {
        var kind: String
        var body: JSON
        var list: [JSON]
        var nothing: JSON?
    }

    // MARK: Texts

    @Test(arguments: [
        "null", "true", "0", "-0", "1.0", "1.50", "12345678901234567890", "1e400", #""a""#, #""\u00e9\/é""#, "[]", "{}",
        #"{"b":1,"a":2,"b":3}"#, #"[1, 2 ,{"a" : null}]"#, #""\ud800""#,
    ])
    func `a text is kept byte for byte`(text: String) throws {
        let json = try JSON(text)
        #expect(json.description == text)
        #expect(json.bytes == Array(text.utf8))
    }

    @Test func `blanks around a value go, and a line stays a line`() throws {
        #expect(try JSON(" \n 1 \t").description == "1")
        #expect(try JSON("[1,\r\n2]").description == "[1,  2]")
    }

    @Test(arguments: ["", " ", "nul", "{", "[1,]", "01", "NaN", "'a'", "1 2", "{\"a\":1}}", "\"a", "// 1"])
    func `what is not one JSON value is refused`(text: String) {
        #expect { try JSON(text) } throws: { ($0 as? RoomClientError)?.code == .encodingFailed }
    }

    @Test func `64 levels are taken, 65 are not`() throws {
        _ = try JSON(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        #expect(throws: RoomClientError.self) {
            try JSON(String(repeating: "[", count: 65) + String(repeating: "]", count: 65))
        }
    }

    // MARK: Values

    @Test func `values of any kind are encoded, parts of JSON too`() throws {
        #expect(try JSON(encoding: 7).description == "7")
        #expect(try JSON(encoding: true).description == "true")
        #expect(try JSON(encoding: "é/\"\n").description == #""é/\"\n""#)
        #expect(try JSON(encoding: String?.none).description == "null")
        #expect(try JSON(encoding: JSON?.none).description == "null")
        #expect(try JSON(encoding: [1, 2]).description == "[1,2]")
        #expect(try JSON(encoding: ["a": "b/c"]).description == #"{"a":"b/c"}"#)
        #expect(try JSON(encoding: Point(x: 1)).description == #"{"x":1}"#)
    }

    @Test func `JSON is encoded as itself`() throws {
        let json = try JSON(#"{"b":1.0,"a":12345678901234567890}"#)
        #expect(try JSON(encoding: json) == json)
        #expect(try JSON(encoding: Optional(json)) == json)
    }

    @Test func `what has no JSON is refused with the cause`() {
        #expect {
            try JSON(encoding: Double.nan)
        } throws: { error in
            (error as? RoomClientError)?.code == .encodingFailed && (error as? RoomClientError)?.cause is EncodingError
        }
    }

    @Test func `values are decoded, parts of JSON too`() throws {
        #expect(try JSON("7").decode(as: Int.self) == 7)
        #expect(try JSON("null").decode(as: Int?.self) == nil)
        #expect(try JSON(#""é\n""#).decode(as: String.self) == "é\n")
        #expect(try JSON(#""a""#).decode(as: String?.self) == "a")
        #expect(try JSON("[1,2]").decode(as: [Int].self) == [1, 2])
        #expect(try JSON(#"{"x":1,"y":2.5,"z":0}"#).decode() == Point(x: 1, y: 2.5))
        #expect(try JSON("1.0").decode(as: JSON.self).description == "1.0")
    }

    @Test(arguments: [#""a""#, "{}", "null", #"{"x":"1"}"#])
    func `what does not decode is refused with the cause`(text: String) {
        #expect {
            try JSON(text).decode(as: Point.self)
        } throws: { error in
            (error as? RoomClientError)?.code == .decodingFailed && (error as? RoomClientError)?.cause is DecodingError
        }
    }

    @Test(
        arguments: [
            (#""hello""#, "hello"), (#""""#, ""), (#""a\"b""#, #"a"b"#), (#""\u00e9""#, "é"), ("1", nil), ("null", nil),
            (#"["a"]"#, nil), (#""\ud800""#, nil),
        ] as [(String, String?)]
    )
    func `the text of a JSON string is given, of nothing else`(text: String, string: String?) throws {
        #expect(try JSON(text).string == string)
    }

    // MARK: As a part of other values

    @Test(arguments: [
        "null", "true", "-7", "18446744073709551615", "2.5", #""a""#, "[]", "[1,[true,null]]", "{}",
        #"{"a":{"b":[1]}}"#,
    ])
    func `JSON goes through other values`(text: String) throws {
        let envelope = Envelope(kind: "k", body: try JSON(text), list: [try JSON("1"), try JSON(text)], nothing: nil)
        let data = try JSONEncoder().encode(envelope)
        #expect(try JSONDecoder().decode(Envelope.self, from: data) == envelope)
    }

    @Test func `JSON by itself goes through other coders`() throws {
        let json = try JSON(#"{"a":[1,"b",null]}"#)
        #expect(try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(json)) == json)
        #expect(try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(try JSON("1"))).description == "1")
    }

    @Test func `equal bytes are equal values, other bytes are others`() throws {
        #expect(try JSON("1.0") == JSON(" 1.0 "))
        #expect(try JSON("1.0") != JSON("1"))
        #expect(try Set([JSON("1"), JSON("1"), JSON("2")]).count == 2)
    }
}
