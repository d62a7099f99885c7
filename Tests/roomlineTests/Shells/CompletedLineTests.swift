import Testing

@testable import roomline

@Suite struct CompletedLineTests {
    @Test func `a URL that bash has taken apart is one word again`() {
        let line = CompletedLine([
            "roomline", "room", "show", "--server", "https", ":", "//chat.example", ":", "10001", "--token-file",
            "'my token'", "",
        ])
        #expect(line.adminArguments == ["--server", "https://chat.example:10001", "--token-file", "my token"])
        #expect(line.channel == "default" && line.room == nil)
    }

    @Test func `the broker, the channel and the room are found`() {
        var line = CompletedLine(["roomline", "member", "kick", "--json", "--room=lobby", "--context", "prod", "K"])
        #expect(line.adminArguments == ["--context", "prod"] && line.room == "lobby")
        line.contextChannel = "shop"
        #expect(line.channel == "shop")
        #expect(CompletedLine(["roomline", "tail", "--channel", "games", ""]).channel == "games")
        #expect(CompletedLine(["roomline", "member", "show", "lobby", ""]).room == "lobby")
        #expect(CompletedLine(["roomline", "member", "show", "lob"]).room == nil)
        #expect(CompletedLine(["roomline", "tail", "--server", "tls://chat.example"]).adminArguments.isEmpty)
    }
}
