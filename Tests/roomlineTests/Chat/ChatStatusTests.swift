import Testing

@testable import roomline

@Suite struct ChatStatusTests {
    @Test(arguments: [
        (ChatStatus(room: "lobby"), "lobby"),
        (ChatStatus(room: "r", people: ["Luke"]), "r · nobody else here"),
        (
            ChatStatus(room: "r", people: ["Luke", "Leia"], typing: "Leia is typing…"),
            "r · Leia, Luke · Leia is typing…"
        ),
        (ChatStatus(room: "r", people: ["a", "b", "c", "d", "e", "f"]), "r · 6 people"),
        (ChatStatus(room: "r", people: ["a"], unsettled: 1), "r · nobody else here"),
        (ChatStatus(room: "r", unsettled: 2), "r · 2 messages not sent yet"),
        (
            ChatStatus(room: "r", people: ["a"], unsettled: 1, trouble: "no connection"),
            "r · no connection · 1 message not sent yet"
        ),
        (ChatStatus(room: "r", people: ["a", "b"], rules: "locked"), "r · locked · a, b"),
        (ChatStatus(room: "r", unsettled: 1, isLeaving: true), "r · waiting for 1 message, Ctrl-C leaves now"),
    ])
    func `the row under the prompt says how things stand`(status: ChatStatus, text: String) {
        #expect(status.text == text)
    }
}
