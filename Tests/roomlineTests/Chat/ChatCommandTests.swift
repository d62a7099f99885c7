import Testing

@testable import roomline

@Suite struct ChatCommandTests {
    @Test(arguments: [
        ("", ChatCommand.nothing), ("   ", .nothing), ("hello", .say("hello")), ("  two words ", .say("  two words ")),
        ("/who", .who), ("/WHO ", .who), ("/quit", .quit), ("/q", .quit), ("/exit", .quit), ("/help", .help),
        ("/?", .help),
        ("/color #2e7d32", .color("#2e7d32")), ("/colour teal", .color("teal")), ("/color", .color(nil)),
        ("/name Commander Luke", .name("Commander Luke")), ("/name", .name(nil)), ("/nick Han", .name("Han")),
        ("/history", .history(20)), ("/history 5", .history(5)),
        ("//text", .say("/text")), ("//", .say("/")), (" //who am I", .say("/who am I")), ("1/2", .say("1/2")),
    ])
    func `a line means something`(line: String, command: ChatCommand) {
        #expect(ChatCommand(line) == command)
    }

    @Test(arguments: [
        "/whoo", "/who else", "/history many", "/history 0", "/history -1", "/history 5000", "/", "/quit now",
        "/dev/null",
    ])
    func `a mistake is explained`(line: String) {
        guard case .mistake(let text) = ChatCommand(line) else { return #expect(Bool(false), "\(line) is none") }
        #expect(!text.isEmpty)
    }
}
