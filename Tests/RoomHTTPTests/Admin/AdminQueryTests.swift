import Testing

@testable import RoomHTTP

@Suite
struct AdminQueryTests {
    @Test func `a value is decoded as forms encode it`() throws {
        let query = try AdminQuery("q=caf%C3%A9+au%20lait%2B", known: ["q"])
        #expect(query["q"] == "café au lait+")
    }

    /// Foundation makes a replacement character of such bytes on Linux.
    @Test(arguments: ["q=%A9", "%A9=1", "q=%C3", "q=%", "q=%4", "q=%zz"])
    func `what is not percent-encoded UTF-8 is refused`(text: String) {
        #expect(throws: Problem.self) { try AdminQuery(text, known: ["q"]) }
    }
}
