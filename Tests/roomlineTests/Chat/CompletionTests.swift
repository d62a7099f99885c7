import Testing

@testable import roomline

@Suite struct CompletionTests {
    private static let people = ["Leia", "Luke", "Han Solo", "Chewie"]

    @Test(arguments: [
        ("Ch", 2, "Chewie: "), ("ch", 2, "Chewie: "), ("hello che", 3, "Chewie "), ("L", 1, "L"), ("Le", 2, "Leia: "),
        ("h", 1, "Han Solo: "), ("/wh", 3, "/who "), ("/h", 2, "/h"), ("/hi", 3, "/history "), ("/name Lu", 2, "Luke "),
        ("/unm", 4, "/unmute "), ("/kick Le", 2, "Leia "),
    ])
    func `a beginning is completed`(before: String, replaced: Int, text: String) {
        let completion = Completion(of: before, people: Self.people)
        #expect(completion?.replaced == replaced && completion?.text == text)
    }

    @Test func `what a beginning may become is told where there are several`() {
        #expect(Completion(of: "l", people: Self.people)?.candidates == ["Leia", "Luke"])
        #expect(Completion(of: "/h", people: [])?.candidates == ["/history", "/help"])
        #expect(Completion(of: "Le", people: Self.people)?.candidates == [])
    }

    @Test(arguments: ["", "x", "hello ", "/zzz"])
    func `where nothing begins like that, nothing happens`(before: String) {
        #expect(Completion(of: before, people: Self.people) == nil)
    }
}
