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
        ("/me waves", .act("waves")), ("/msg Leia hi", .whisper), ("/join lobby", .join("lobby")),
        ("/leave", .leave(nil)),
        ("/part lobby", .leave("lobby")), ("/search a b", .search("a b")),
        ("/kick Han Solo enough", .moderate(.person(.kick, "Han Solo enough"))),
        ("/BAN Leia for 1h", .moderate(.person(.ban, "Leia for 1h"))),
        ("/unban Leia", .moderate(.person(.unban, "Leia"))), ("/mute Leia", .moderate(.person(.mute, "Leia"))),
        ("/unmute Leia", .moderate(.person(.unmute, "Leia"))), ("/lock", .moderate(.lock(reason: nil))),
        ("/lock back at nine", .moderate(.lock(reason: "back at nine"))), ("/unlock", .moderate(.unlock)),
        ("/slow 10s", .moderate(.slow(seconds: 10))), ("/slow 5m", .moderate(.slow(seconds: 300))),
        ("/slow off", .moderate(.slow(seconds: 0))), ("/redact 1", .moderate(.redact(back: 1, reason: nil))),
        ("/redact 3 spam it is", .moderate(.redact(back: 3, reason: "spam it is"))),
        ("/clear", .moderate(.clear)), ("/bans", .moderate(.bans)), ("/yes", .answer(nil)), ("/2", .answer(2)),
        ("/12", .answer(12)),
        ("/notice hear, hear", .moderate(.notice("hear, hear"))),
        ("//text", .say("/text")), ("//", .say("/")), (" //who am I", .say("/who am I")), ("1/2", .say("1/2")),
    ])
    func `a line means something`(line: String, command: ChatCommand) {
        #expect(ChatCommand(line) == command)
    }

    @Test(arguments: [
        "/whoo", "/who else", "/history many", "/history 0", "/history -1", "/history 5000", "/", "/quit now",
        "/dev/null", "/kick", "/ban", "/mute", "/unlock it", "/slow", "/slow soon", "/slow 10", "/slow 500ms",
        "/redact 0", "/redact",
        "/redact spam it is", "/lock 10m", "/lock 1h lunch", "/clear yes", "/clear all", "/yes please", "/bans all",
        "/1 please", "/99999", "/-1",
        "/me", "/join",
        "/notice",
    ])
    func `a parseError is explained`(line: String) {
        guard case .parseError(let text) = ChatCommand(line) else { return #expect(Bool(false), "\(line) is none") }
        #expect(!text.isEmpty)
    }
}
