import RoomJSON

/// A word of the protocol that is looked up by its bytes: the name of a field, or the type of a frame.
package protocol WireWord: CaseIterable, Sendable {
    var name: StaticString { get }
    static var table: WordTable<Self> { get }
}

extension WireWord {
    /// The word that these bytes spell; `nil` if there is none.
    init?(name: UnsafeRawBufferPointer) {
        guard let word = Self.table[name] else { return nil }
        self = word
    }
}

/// The fields of one kind of object that we know; all others are ignored. The raw values count from 0, and a ``FrameScan`` has a
/// place for each.
protocol WireField: WireWord, RawRepresentable<Int> {}

/// Finds the words of one kind by their bytes: a hash table with open addressing, built once. The decoding of a publish looks
/// up five words, so a slot has the bytes of its word in two integers, and the usual lookup is one comparison of them.
package struct WordTable<Word: WireWord>: Sendable {
    private struct Slot {
        var key = WordKey()
        /// `nil`: the slot is empty.
        var word: Word?
    }

    /// A power of two, so large that most words have a slot of their own and most other names find an empty one.
    private static var slotCount: Int { 1 << WordKey.hashBits }

    private let slots: [Slot]

    init() {
        var slots = [Slot](repeating: Slot(), count: Self.slotCount)
        for word in Word.allCases {
            let key = WordKey(UnsafeRawBufferPointer(start: word.name.utf8Start, count: word.name.utf8CodeUnitCount))
            var index = key.hash
            while slots[index].word != nil { index = Self.index(after: index) }
            slots[index] = Slot(key: key, word: word)
        }
        self.slots = slots
    }

    @inline(__always)
    subscript(name: UnsafeRawBufferPointer) -> Word? {
        let key = WordKey(name)
        var index = key.hash
        while let word = self.slots[index].word {
            if self.slots[index].key == key, key.isWhole || name.equals(word.name) { return word }
            index = Self.index(after: index)
        }
        return nil
    }

    @inline(__always)
    private static func index(after index: Int) -> Int { (index + 1) & (Self.slotCount - 1) }
}

extension WordTable where Word: WireField {
    /// The field with this key.
    @inline(__always)
    subscript(key: JSONKey, in bytes: UnsafeRawBufferPointer) -> Word? {
        if !key.isEscaped { return self[bytes.slice(key.range)] }
        guard var text = JSONString.text(bytes.slice(key.range)) else { return nil }
        return text.withUTF8 { self[UnsafeRawBufferPointer($0)] }
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
