import Testing

@testable import roomline

@Suite struct MistypedCommandTests {
    @Test(
        arguments: [
            (["chanel", "list"], "did you mean \"roomline channel\"?"),
            (["room", "lst"], "did you mean \"roomline room list\"?"),
            (["help", "memebr"], "did you mean \"roomline member\"?"), (["zzzzzz"], "\"roomline --help\" lists"),
        ]
    )
    func `a word that is not a command is told`(words: [String], part: String) throws {
        let failure = try #require(MistypedCommand.failure(in: words))
        #expect(failure.code == .usage && failure.text.contains(part), "\(failure.text)")
    }

    @Test(arguments: [
        [], ["--version"], ["room", "--help"], ["room", "list", "nonsense"], ["help"], ["help", "room", "list"],
        ["serve", "x"], ["room", "help", "list"], ["---completion", "room"],
    ])
    func `the parser judges everything else`(words: [String]) {
        #expect(MistypedCommand.failure(in: words) == nil)
    }
}
