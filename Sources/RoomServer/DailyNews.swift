/// Whether something is to be told now: when it changes, and once a day as long as it stays.
struct DailyNews<Value: Equatable> {
    private var told: (value: Value, day: Int64)?

    /// - Parameter now: Unix seconds.
    mutating func isNew(_ value: Value, now: Int64) -> Bool {
        let news = (value, day: now / 86_400)
        defer { self.told = news }
        return self.told.map { $0 != news } ?? true
    }
}

extension DailyNews: Sendable where Value: Sendable {}
