import Testing

@testable import RoomCore

struct InsertionOrderedDictionaryTests {
    private static func filled(_ count: Int) -> InsertionOrderedDictionary<Int, String> {
        var dictionary = InsertionOrderedDictionary<Int, String>()
        for number in 0..<count { dictionary[number] = "\(number)" }
        return dictionary
    }

    @Test func `entries stay in the order of insertion`() {
        var dictionary = Self.filled(4)
        dictionary[1] = nil
        dictionary[0] = "zero"
        dictionary[1] = "one"
        #expect(Array(dictionary.keys) == [0, 2, 3, 1])
        #expect(Array(dictionary.values) == ["zero", "2", "3", "one"])
        #expect(dictionary.removeValue(forKey: 9) == nil)
        #expect(dictionary.count == 4)
    }

    @Test func `a removal moves no other entry`() {
        var dictionary = Self.filled(1_000)
        for number in 0..<400 { dictionary[number] = nil }
        #expect(dictionary.slotCount == 1_000)
        #expect(dictionary.key(atSlot: 999) == 999)
        #expect(dictionary.key(atSlot: 0) == nil)
    }

    @Test func `the first entry is found without a search`() {
        var dictionary = Self.filled(3)
        #expect(dictionary.first?.key == 0)
        dictionary[1] = nil
        dictionary[0] = nil
        #expect(dictionary.first?.key == 2)
        dictionary[2] = nil
        #expect(dictionary.first == nil)
        dictionary[7] = "seven"
        #expect(dictionary.first?.value == "seven")
    }

    @Test func `gaps are closed when there are more of them than entries`() {
        var dictionary = Self.filled(1_000)
        for number in 0..<990 { dictionary[number] = nil }
        #expect(dictionary.slotCount <= 2 * dictionary.count + 16)
        #expect(Array(dictionary.keys) == Array(990..<1_000))
        #expect((990..<1_000).allSatisfy { dictionary[$0] == "\($0)" })
        for number in 990..<1_000 { dictionary[number] = nil }
        #expect(dictionary.isEmpty)
    }
}
