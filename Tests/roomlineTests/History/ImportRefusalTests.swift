import Testing

@testable import roomline

@Suite struct ImportRefusalTests {
    @Test(arguments: [
        ("line 3: the id is not above", "a.jsonl, line 43: the id is not above"),
        ("the room has messages", "the room has messages"),
        ("line of a part: no", "line of a part: no"),
    ])
    func `the line of a part is told as that of the file`(_ detail: String, _ text: String) {
        #expect(ImportRefusal(file: "a.jsonl", linesBefore: 40).text(detail) == text)
    }
}
