import Testing

struct StepListTests {
    @Test(arguments: ["0-12,15", "3", "1,3,5-6", ""])
    func `a list is read as it is written`(text: String) {
        #expect(StepList(text)?.description == text)
    }

    @Test(arguments: ["a", "5-3", "1,x", "-"])
    func `what is no list is not read`(text: String) {
        #expect(StepList(text) == nil)
    }

    @Test(arguments: [[7], [0, 99], [3, 50, 51], [13, 14, 15, 80]])
    func `what a failure needs is left`(needed: [Int]) {
        let shrunk = StepList(0..<100).shrunk(tries: 1_000) { Set(needed).isSubset(of: $0.numbers) }
        #expect(shrunk.numbers == needed)
    }

    @Test func `when the tries are over, what is left still fails`() {
        var tries = 0
        let shrunk = StepList(0..<100).shrunk(tries: 10) { list in
            tries += 1
            return list.numbers.contains(50)
        }
        #expect(tries == 10)
        #expect(shrunk.numbers.contains(50))
        #expect(shrunk.numbers.count < 100)
    }
}
