/// Values that were used lately, within a bound. There are two generations: once the young one is full it becomes the old one, and
/// what is used again out of the old moves over.
struct RecentValues<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let capacity: Int

    /// - Parameter capacity: how many one generation has.
    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { self.young.count + self.old.count }

    mutating func find(_ key: Key) -> Value? {
        if let found = self.young[key] { return found }
        guard !self.old.isEmpty, let found = self.old[key] else { return nil }
        self.keep(found, for: key)
        return found
    }

    mutating func keep(_ value: Value, for key: Key) {
        if self.young.count >= self.capacity, self.young[key] == nil {
            self.old = self.young
            self.young = [:]
        }
        self.young[key] = value
    }

    mutating func remove(_ key: Key) {
        self.young[key] = nil
        self.old[key] = nil
    }
}

extension RecentValues: Sendable where Key: Sendable, Value: Sendable {}
extension RecentValues: Equatable where Value: Equatable {}
