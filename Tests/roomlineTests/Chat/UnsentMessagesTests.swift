import Testing

@testable import roomline

@Suite struct UnsentMessagesTests {
    @Test func `the messages stand below the line that counts them`() {
        let one = UnsentMessages(["hello"]).failure(.refused)
        #expect(one.text == "1 of your messages may be lost: it was not acknowledged")
        #expect(one.code == .refused && one.details == ["hello"])
        let two = UnsentMessages(["one", "two"]).failure(.unavailable)
        #expect(two.text == "2 of your messages may be lost: they were not acknowledged")
        #expect(two.code == .unavailable && two.details == ["one", "two"])
    }

    @Test func `very many are not all shown`() {
        let failure = UnsentMessages((1...23).map { "message \($0)" }).failure(.refused)
        #expect(failure.text.hasPrefix("23 of your messages"))
        #expect(failure.details.count == 21 && failure.details[19] == "message 20")
        #expect(failure.details[20] == "and 3 more")
    }
}
