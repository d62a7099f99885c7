import NIOCore
import RoomJSON
import Testing

@Suite struct JSONFieldsTests {
    @Test(
        arguments: [
            (#"{"name":"Ann"}"#, #""Ann""#), (#" { "a" : [1,{"name":0}] , "name" : {"x":[]} } "#, #"{"x":[]}"#),
            (#"{"n\u0061me":7,"name":8}"#, "7"), (#"{"name":null}"#, "null"), (#"{"Name":1}"#, nil), ("{}", nil),
            ("[]", nil),
            (#""name""#, nil), ("null", nil), ("12", nil), ("", nil), (#"{"name""#, nil), (#"{"a":{"name":1}}"#, nil),
        ] as [(String, String?)]
    )
    func `the range of a field is that of its value`(object: String, value: String?) {
        var buffer = ByteBuffer(string: "__" + object)
        buffer.moveReaderIndex(forwardBy: 2)
        let range = JSONFields.range(of: "name", in: buffer)
        let found = range.flatMap { buffer.getString(at: buffer.readerIndex + $0.lowerBound, length: $0.count) }
        #expect(found == value)
    }

    @Test(
        arguments: [
            (#"{"name":[1, {"a":[2]} ,"x,]"]}"#, ["1", #"{"a":[2]}"#, #""x,]""#]), (#"{"name":[]}"#, []),
            (#"{"name":7}"#, []), (#"{"name":{"a":1}}"#, []), ("{}", []), (#"{"name":[1,"#, []),
        ] as [(String, [String])]
    )
    func `the elements of a field are those of its array`(object: String, elements: [String]) {
        var buffer = ByteBuffer(string: "__" + object)
        buffer.moveReaderIndex(forwardBy: 2)
        #expect(JSONFields.elements(of: "name", in: buffer).map { String(buffer: $0) } == elements)
    }

    @Test(
        arguments: [
            (#"{"name":"Ann"}"#, "Ann"), (#"{"name":"\u00e9\n\ud83d\ude00"}"#, "é\n😀"), (#"{"name":""}"#, ""),
            (#"{"name":7}"#, nil), (#"{"name":["Ann"]}"#, nil), (#"{"name":"\ud800"}"#, nil), (#""Ann""#, nil),
        ] as [(String, String?)]
    )
    func `the string of a field is unescaped`(object: String, text: String?) {
        #expect(JSONFields.string(of: "name", in: ByteBuffer(string: object)) == text)
    }
}
