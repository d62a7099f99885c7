/// The version of a nats-server.
struct ServerVersion: Comparable, Sendable, CustomStringConvertible {
    private let numbers: [Int]
    let description: String

    /// Below it acknowledged messages were lost when a leader was paused, or nobody has looked.
    static let oldest = ServerVersion([2, 12, 8])

    /// - Parameter text: as `2.12.8`; what follows a hyphen, as in `2.13.0-beta.1`, does not count.
    init?(_ text: String) {
        let words = text.prefix { $0 != "-" && $0 != "+" }.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3, words.count == 3 else { return nil }
        self.numbers = numbers
        self.description = text
    }

    private init(_ numbers: [Int]) {
        self.numbers = numbers
        self.description = numbers.map(String.init).joined(separator: ".")
    }

    static func == (left: Self, right: Self) -> Bool { left.numbers == right.numbers }

    static func < (left: Self, right: Self) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }
}
