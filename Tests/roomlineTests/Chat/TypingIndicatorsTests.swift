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
