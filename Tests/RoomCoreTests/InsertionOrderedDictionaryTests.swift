import RoomTestKit
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

    /// A list of pairs is the model. The numbers of keys are below and above what needs an index.
    @Test(arguments: [3, 8, 9, 20, 60]) func `it behaves as a list of pairs does`(keys: Int) {
        var random = SeededRandom(seed: 7)
        var dictionary = InsertionOrderedDictionary<Int, Int>()
        var model: [(key: Int, value: Int)] = []
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<keys, using: &random)
            // more removals than insertions in every other hundred
            let insertions = (step / 100).isMultiple(of: 2) ? 7 : 2
            if Int.random(in: 0..<10, using: &random) < insertions {
                dictionary[key] = step
                if let index = model.firstIndex(where: { $0.key == key }) {
                    model[index].value = step
                } else {
                    model.append((key, step))
                }
            } else {
                let index = model.firstIndex { $0.key == key }
                #expect(dictionary.removeValue(forKey: key) == index.map { model.remove(at: $0).value })
            }
            #expect(dictionary.count == model.count)
            #expect(dictionary.first?.key == model.first?.key)
            #expect(Array(dictionary.keys) == model.map(\.key))
            #expect(Array(dictionary.values) == model.map(\.value))
            #expect((0..<keys).allSatisfy { key in dictionary[key] == model.first { $0.key == key }?.value })
        }
    }

    /// What goes through the entries in turns looks at the number of slots to see whether they have moved.
    @Test func `entries that move leave fewer slots`() {
        var dictionary = Self.filled(8)
        for number in 0..<4 { dictionary[number] = nil }
        dictionary[8] = "8"
        #expect(dictionary.slotCount == 5)
        for number in 9..<12 { dictionary[number] = "\(number)" }
        dictionary[4] = nil
        dictionary[12] = "12"
        #expect(dictionary.slotCount == 9)
        #expect(dictionary.key(atSlot: 0) == nil)
        #expect(Array(dictionary.keys) == Array(5...12))
    }
}
