/// A dictionary in the order of insertion, whose removal takes constant time: a removed entry leaves a gap, and the gaps
/// are closed when there are more of them than entries. (`OrderedDictionary` moves all entries behind the removed one.)
/// Few entries need no index: most members are in one room.
package struct InsertionOrderedDictionary<Key: Hashable, Value> {
    fileprivate struct Slot {
        let key: Key
        var value: Value
    }

    private var slots: [Slot?] = []
    /// In which slot a key is; `nil` while there are so few slots that all can be looked at.
    private var index: [Key: Int]?
    /// Where the first entry is.
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { self.count == 0 }

    /// `nil` removes the entry; an entry that is set anew keeps its place.
    package subscript(key: Key) -> Value? {
        get { self.place(of: key).flatMap { self.slots[$0]?.value } }
        set {
            guard let newValue else {
                self.removeValue(forKey: key)
                return
            }
            if let place = self.place(of: key) {
                self.slots[place]?.value = newValue
            } else {
                self.append(Slot(key: key, value: newValue))
            }
        }
    }

    @discardableResult
    package mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = self.place(of: key), let slot = self.slots[place] else { return nil }
        self.slots[place] = nil
        self.index?[key] = nil
        self.count -= 1
        while self.head < self.slots.count, self.slots[self.head] == nil { self.head += 1 }
        if self.slots.count > 2 * self.count + Self.gaps { self.closeGaps() }
        return slot.value
    }

    /// Slots that are looked through one by one.
    private static var unindexedSlots: Int { 8 }
    /// Gaps that are left alone in a small dictionary.
    private static var gaps: Int { 16 }

    private func place(of key: Key) -> Int? {
        if let index { index[key] } else { self.slots[self.head...].firstIndex { $0?.key == key } }
    }

    private mutating func append(_ slot: Slot) {
        if self.index == nil, self.slots.count == Self.unindexedSlots, self.isSmall { self.closeGaps() }
        self.slots.append(slot)
        self.count += 1
        if self.index != nil {
            self.index?[slot.key] = self.slots.count - 1
        } else if self.slots.count > Self.unindexedSlots {
            self.makeIndex()
        }
    }

    private mutating func closeGaps() {
        self.slots.removeAll { $0 == nil }
        self.head = 0
        if self.isSmall { self.index = nil } else { self.makeIndex() }
    }

    /// Far fewer than need an index, so that it does not come and go with each entry.
    private var isSmall: Bool { self.count <= Self.unindexedSlots / 2 }

    private mutating func makeIndex() {
        var index = self.index.take() ?? [:]
        index.removeAll(keepingCapacity: index.capacity < 4 * self.slots.count)
        for (place, slot) in self.slots.enumerated() {
            if let slot { index[slot.key] = place }
        }
        self.index = index
    }

    // MARK: In the order of insertion

    package var first: (key: Key, value: Value)? {
        self.isEmpty ? nil : self.slots[self.head].map { ($0.key, $0.value) }
    }

    package var keys: Keys { Keys(slots: self.slots[self.head...].makeIterator()) }
    package var values: Values { Values(slots: self.slots[self.head...].makeIterator()) }

    package struct Keys: Sequence, IteratorProtocol {
        fileprivate var slots: ArraySlice<Slot?>.Iterator

        package mutating func next() -> Key? {
            while let slot = self.slots.next() { if let slot { return slot.key } }
            return nil
        }
    }

    package struct Values: Sequence, IteratorProtocol {
        fileprivate var slots: ArraySlice<Slot?>.Iterator

        package mutating func next() -> Value? {
            while let slot = self.slots.next() { if let slot { return slot.value } }
            return nil
        }
    }

    /// Entries and gaps.
    package var slotCount: Int { self.slots.count }

    /// `nil`: a gap.
    package func key(atSlot slot: Int) -> Key? { self.slots[slot]?.key }

    package func value(atSlot slot: Int) -> Value? { self.slots[slot]?.value }
}

extension InsertionOrderedDictionary: Sendable where Key: Sendable, Value: Sendable {}
extension InsertionOrderedDictionary.Slot: Sendable where Key: Sendable, Value: Sendable {}

extension InsertionOrderedDictionary: Equatable where Value: Equatable {
    /// The same entries in the same order, whatever gaps are between them.
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.keys.elementsEqual(right.keys) && left.values.elementsEqual(right.values)
    }
}
