import Testing

@testable import roomline

@Suite struct ResumePointTests {
    @Test(arguments: ["5f3c9a1e7b240d86:41", "5F3C9A1E7B240D86:0"])
    func `a place is read and written`(text: String) {
        #expect(ResumePoint(argument: text)?.description == text.lowercased())
    }

    @Test(arguments: [
        "", ":", "41", "5f3c9a1e7b240d86", "5f3c9a1e7b240d86:", "5f3c:1", "5f3c9a1e7b240d8x:1", "5f3c9a1e7b240d86:-1",
        "5f3c9a1e7b240d86:1:2",
    ])
    func `anything else is none`(text: String) {
        #expect(ResumePoint(argument: text) == nil)
    }
}
