import RoomJSON

/// Finds words by their bytes, and gives their places in a list: a hash table with open addressing, built once. The decoding of a
/// publish looks up five words, so a slot has the bytes of its word in two integers, and the usual lookup is one comparison of them.
package final class WordTable: Sendable {
    private struct Slot {
        var key = WordKey()
        /// `nil`: the slot is empty.
        var index: Int?
    }

    /// A power of two, so large that most words have a slot of their own and most other names find an empty one.
    private static var slotCount: Int { 1 << WordKey.hashBits }

    /// In the order of their places.
    package let words: [String]
    /// How many of them, from the first, are no field of a described object.
    let undescribed: Int
    private let slots: [Slot]

    /// - Parameter words: at most ``FieldScan/capacity``. A word that stands twice has the place of its first.
    package convenience init(_ words: [String]) {
        self.init(words, undescribed: words.count)
    }

    private init(_ words: [String], undescribed: Int) {
        precondition(words.count <= FieldScan.capacity, "\(words.count) words")
        var slots = [Slot](repeating: Slot(), count: Self.slotCount)
        for (place, word) in words.enumerated() {
            var word = word
            let key = word.withUTF8 { WordKey(UnsafeRawBufferPointer($0)) }
            var index = key.hash
            while slots[index].index != nil { index = Self.index(after: index) }
            slots[index] = Slot(key: key, index: place)
        }
        self.words = words
        self.undescribed = undescribed
        self.slots = slots
    }

    subscript(word: UnsafeRawBufferPointer) -> Int? {
        let key = WordKey(word)
        var index = key.hash
        while let place = self.slots[index].index {
            if self.slots[index].key == key, key.isWhole || word.elementsEqual(self.words[place].utf8) { return place }
            index = Self.index(after: index)
        }
        return nil
    }

    subscript(word: StaticString) -> Int? {
        self[UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)]
    }

    /// The place of the word that this key spells.
    subscript(key: JSONKey, in bytes: UnsafeRawBufferPointer) -> Int? {
        if !key.isEscaped { return self[bytes.slice(key.range)] }
        guard var text = JSONString.text(bytes.slice(key.range)) else { return nil }
        return text.withUTF8 { self[UnsafeRawBufferPointer($0)] }
    }

    @inline(__always)
    private static func index(after index: Int) -> Int { (index + 1) & (Self.slotCount - 1) }
}

extension WordTable {
    /// The names of fields: these, then all that the objects have, and the objects that stand in them.
    package convenience init(_ names: [String], fieldsOf objects: [any DescribedObject.Type]) {
        var words = names
        for name in objects.flatMap({ $0.kind(.any).names }) where !words.contains(name) { words.append(name) }
        self.init(words, undescribed: names.count)
    }
}

extension FieldKind {
    fileprivate var names: [String] {
        switch self {
        case .object(let fields): fields.flatMap { [$0.name] + $0.kind.names }
        case .array(let element): element.names
        case .value, .text, .word, .flag, .integer, .number: []
        }
    }
}

/// The length, the first bytes and the last bytes of a word. They overlap in a short word, and up to 16 bytes they are all
/// that there is.
private struct WordKey: Equatable {
    static let hashBits = 7

    private var count = 0
    private var head: UInt64 = 0
    private var tail: UInt64 = 0

    init() {}

    @inline(__always)
    init(_ word: UnsafeRawBufferPointer) {
        let count = word.count
        self.count = count
        if count >= 8 {
            self.head = word.loadUnaligned(as: UInt64.self)
            self.tail = word.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            self.head = UInt64(word.loadUnaligned(as: UInt32.self))
            self.tail = UInt64(word.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        } else if count > 0 {
            self.head = UInt64(word[0])
            self.tail = UInt64(word[count / 2]) << 8 | UInt64(word[count - 1])
        }
    }

    /// Whether two words with this key are the same word.
    var isWhole: Bool { self.count <= 16 }

    @inline(__always)
    var hash: Int {
        let mixed = (self.head ^ self.tail &<< 7 ^ UInt64(truncatingIfNeeded: self.count)) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: mixed >> UInt64(UInt64.bitWidth - Self.hashBits))
    }
}
