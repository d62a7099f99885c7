/// What waits in the reply lanes of an event loop's connections to be read by their peers, and the lists of members that
/// are to follow it, in bytes.
struct UnreadReplies {
    private var bytes: [UInt64: Int] = [:]
    private(set) var total = 0

    /// The connection with this number has so much unread.
    mutating func set(_ count: Int, of number: UInt64) {
        self.total += count - (self.bytes[number] ?? 0)
        self.bytes[number] = count > 0 ? count : nil
    }

    /// The connection that has most unread, where all together have more than the limit.
    func largest(above limit: Int) -> UInt64? {
        guard self.total > limit else { return nil }
        return self.bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
