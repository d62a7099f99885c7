import Foundation
import RoomClient
import Testing

@testable import Scaledrone

struct JSONFoundationTests {
    /// Not `Sendable`, so no arguments of a test.
    private static var writable: [(value: Any, json: String)] {
        [
            ("a/b \"c\" \u{2028}", "\"a/b \\\"c\\\" \u{2028}\""), (1, "1"), (1.5, "1.5"), (true, "true"),
            (UInt64.max, "18446744073709551615"),
            (NSNull(), "null"), (String?.none as Any, "null"), (String?.some("x") as Any, "\"x\""), ([] as [Any], "[]"),
            (["typing": true], #"{"typing":true}"#), ([1, "x", ["y": NSNull()]] as [Any], #"[1,"x",{"y":null}]"#),
        ]
    }

    @Test
    func `what JSONSerialization can write becomes JSON`() throws {
        for (value, json) in Self.writable {
            let text = try JSON(foundation: value).description
            #expect(text == json)
        }
    }

    @Test
    func `what it cannot write is an error and no trap`() {
        struct Opaque {}
        let values: [Any] = [
            Double.nan, Double.infinity, Date(), Data(), [1: "x"], ["x": Date()], Opaque(), [Opaque()],
            JSONFoundationTests.self,
        ]
        for value in values {
            let error = #expect(throws: ClientError.self) { try JSON(foundation: value) }
            #expect(error?.code == .encodingFailed)
        }
    }

    @Test
    func `what is nested too deep is an error`() throws {
        let deep = (0..<100).reduce("deep" as Any) { value, _ in [value] }
        let error = #expect(throws: ClientError.self) { try JSON(foundation: deep) }
        #expect(error?.code == .encodingFailed)
    }

    @Test
    func `JSON is read as JSONSerialization reads it`() throws {
        #expect(try FoundationValue(JSON(#""hello""#)).any as? String == "hello")
        #expect(try FoundationValue(JSON("7")).any as? Int == 7)
        #expect(try FoundationValue(JSON("null")).any is NSNull)
        #expect(try FoundationValue(JSON(#"{"typing":true}"#)).any as? [String: Bool] == ["typing": true])
        #expect(try FoundationValue(JSON(#"["a","b"]"#)).any as? [String] == ["a", "b"])
    }

    @Test(arguments: ["1e400", #""\ud800""#])
    func `JSON that Foundation cannot hold is an error, and no member data`(text: String) throws {
        let json = try JSON(text)
        #expect(throws: (any Error).self) { try FoundationValue(json) }
        #expect(json.foundationValue == nil)
    }
}
