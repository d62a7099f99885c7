import Testing

@testable import roomline

@Suite struct TypingIndicatorsTests {
    private static let leia = Person(id: "2", name: "Leia")
    private static let han = Person(id: "3", name: "Han")
    private var typing = TypingIndicators()
    private let now = ContinuousClock.now

    @Test mutating func `those who type are named`() {
        #expect(self.typing.text == nil)
        self.typing.began(Self.leia, now: self.now)
        #expect(self.typing.text == "Leia is typing…")
        self.typing.began(Self.han, now: self.now)
        self.typing.began(Self.leia, now: self.now)
        #expect(self.typing.text == "Han and Leia are typing…")
        self.typing.began(Person(id: "4", name: nil), now: self.now)
        #expect(self.typing.text == "several people are typing…")
        self.typing.ended("4")
        self.typing.ended("2")
        #expect(self.typing.text == "Han is typing…")
    }

    @Test mutating func `a sign that is not repeated expires`() {
        self.typing.began(Self.leia, now: self.now)
        self.typing.began(Self.han, now: self.now + .seconds(3))
        self.typing.expire(now: self.now + TypingIndicators.duration)
        #expect(self.typing.text == "Han is typing…")
        self.typing.expire(now: self.now + .seconds(60))
        #expect(self.typing.text == nil)
    }
}

@Suite struct DeliveryTests {
    private var delivery = Delivery()

    @Test mutating func `the chat can be left when everything is acknowledged and shown`() {
        self.delivery.submitted()
        self.delivery.submitted()
        #expect(self.delivery.leave() == false)
        #expect(!self.delivery.canLeave)
        self.delivery.settled(seq: 7)
        self.delivery.settled(seq: nil)
        #expect(!self.delivery.canLeave && self.delivery.refused == 1)
        self.delivery.saw(7)
        #expect(self.delivery.canLeave)
    }

    @Test mutating func `nobody is kept who did not want to go`() {
        #expect(!self.delivery.canLeave)
        _ = self.delivery.leave()
        #expect(self.delivery.canLeave)
        #expect(self.delivery.leave() == true)
    }

    @Test mutating func `what the room never brings is not waited for for ever`() {
        self.delivery.submitted()
        _ = self.delivery.leave()
        self.delivery.tick()
        self.delivery.settled(seq: 7)
        for _ in 0..<2 { self.delivery.tick() }
        #expect(!self.delivery.canLeave)
        self.delivery.tick()
        #expect(self.delivery.canLeave)
    }
}

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
        (ChatStatus(room: "r", unsettled: 1, isLeaving: true), "r · waiting for 1 message, Ctrl-C leaves now"),
    ])
    func `the row under the prompt says how things stand`(status: ChatStatus, text: String) {
        #expect(status.text == text)
    }
}
