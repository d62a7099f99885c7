/// The bytes of one kind that an event loop's connections hold: of what waits to be read by their peers (replies, and
/// the lists of members that are to follow them), or of what their peers have sent and is not handled.
struct ConnectionBytes {
    private var bytes: [UInt64: Int] = [:]
    private(set) var total = 0

    /// The connection with this number holds so much.
    mutating func set(_ count: Int, of number: UInt64) {
        self.total += count - (self.bytes[number] ?? 0)
        self.bytes[number] = count > 0 ? count : nil
    }

    /// The connection that holds most, where all together hold more than the limit.
    func largest(above limit: Int) -> UInt64? {
        guard self.total > limit else { return nil }
        return self.bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
