/// A dictionary in the order of insertion, whose removal takes constant time: a removed entry leaves a gap, and the gaps
/// are closed when there are more of them than entries. (`OrderedDictionary` moves all entries behind the removed one.)
package struct InsertionOrderedDictionary<Key: Hashable, Value> {
    fileprivate struct Slot {
        let key: Key
        var value: Value
    }

    private var slots: [Slot?] = []
    private var places: [Key: Int] = [:]
    /// Where the first entry is.
    private var head = 0

    package init() {}

    package var count: Int { self.places.count }
    package var isEmpty: Bool { self.places.isEmpty }

    /// `nil` removes the entry; an entry that is set anew keeps its place.
    package subscript(key: Key) -> Value? {
        get { self.places[key].flatMap { self.slots[$0]?.value } }
        set {
            guard let newValue else {
                self.removeValue(forKey: key)
                return
            }
            if let place = self.places[key] {
                self.slots[place]?.value = newValue
            } else {
                self.places[key] = self.slots.count
                self.slots.append(Slot(key: key, value: newValue))
            }
        }
    }

    @discardableResult
    package mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = self.places.removeValue(forKey: key), let slot = self.slots[place] else { return nil }
        self.slots[place] = nil
        while self.head < self.slots.count, self.slots[self.head] == nil { self.head += 1 }
        if self.slots.count > 2 * self.places.count + Self.gaps { self.closeGaps() }
        return slot.value
    }

    package mutating func removeAll() {
        self = Self()
    }

    /// Gaps that are left alone in a small dictionary.
    private static var gaps: Int { 16 }

    private mutating func closeGaps() {
        self.slots.removeAll { $0 == nil }
        self.head = 0
        self.places.removeAll(keepingCapacity: self.places.capacity < 4 * self.slots.count)
        for (place, slot) in self.slots.enumerated() {
            if let slot { self.places[slot.key] = place }
        }
    }

    // MARK: In the order of insertion

    package var first: (key: Key, value: Value)? {
        self.isEmpty ? nil : self.slots[self.head].map { ($0.key, $0.value) }
    }

    package var keys: some Sequence<Key> { self.slots[self.head...].lazy.compactMap { $0?.key } }
    package var values: some Sequence<Value> { self.slots[self.head...].lazy.compactMap { $0?.value } }

    /// Entries and gaps.
    package var slotCount: Int { self.slots.count }

    /// `nil`: a gap.
    package func key(atSlot slot: Int) -> Key? { self.slots[slot]?.key }

    package func value(atSlot slot: Int) -> Value? { self.slots[slot]?.value }
}

extension InsertionOrderedDictionary: Sendable where Key: Sendable, Value: Sendable {}
extension InsertionOrderedDictionary.Slot: Sendable where Key: Sendable, Value: Sendable {}
