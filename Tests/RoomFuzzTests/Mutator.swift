/// Makes inputs out of those of a corpus: bytes changed, repeated, left out, and parts of two put together.
struct Mutator {
    private let corpus: [[UInt8]]
    private var random: InputRandom

    private static let pieces: [[UInt8]] =
        [
            "\n", "\r", "\0", "\"", "\\", "\\u", "{", "}", "[", "]", ":", ",", "%", "=", "&", " ", "-", "0", "1e9",
            "null", "é",
            "\u{202e}", "\u{1f642}", "18446744073709551615",
        ].map { Array($0.utf8) } + [[0xff], [0xc2], [0xed, 0xa0, 0x80], [0x7f, 0xff, 0xff, 0xff]]

    init(_ corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus
        self.random = InputRandom(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = self.corpus.randomElement(using: &self.random) ?? []
        for _ in 0..<Int.random(in: 1...5, using: &self.random) { self.mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &self.random)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &self.random))
        switch Int.random(in: 0..<6, using: &self.random) {
        case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0...7, using: &self.random)
        case 1 where start < bytes.count: bytes[start] = UInt8.random(in: 0...255, using: &self.random)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 4:
            let other = self.corpus.randomElement(using: &self.random) ?? []
            bytes.removeSubrange(start...)
            bytes += other.dropFirst(Int.random(in: 0...other.count, using: &self.random))
        default: bytes.replaceSubrange(start..<end, with: Self.pieces.randomElement(using: &self.random) ?? [])
        }
    }
}
