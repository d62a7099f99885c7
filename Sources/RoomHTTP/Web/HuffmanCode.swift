/// A prefix code: how many bits each symbol has, and which.
struct HuffmanCode {
    private(set) var lengths: [Int]
    private var bits: [Int]

    /// - Parameters:
    ///   - counts: how often each symbol occurs; one that does not occur has no code.
    ///   - longest: the most bits of a symbol.
    init(counts: [Int], longest: Int) {
        var weights = counts
        self.lengths = Self.lengths(weights)
        // with less difference between the weights the code is flatter
        while self.lengths.contains(where: { $0 > longest }) {
            weights = weights.map { $0 == 0 ? 0 : $0 / 2 + 1 }
            self.lengths = Self.lengths(weights)
        }
        self.bits = Self.bits(self.lengths)
    }

    func write(_ symbol: Int, to output: inout BitWriter) {
        output.append(self.bits[symbol], count: self.lengths[symbol])
    }

    /// Joins the two lightest nodes until there is one.
    private static func lengths(_ weights: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: weights.count)
        var nodes = weights.indices.filter { weights[$0] > 0 }.map { (weight: weights[$0], symbols: [$0]) }
        if nodes.count == 1 { lengths[nodes[0].symbols[0]] = 1 }
        while nodes.count > 1 {
            nodes.sort { $0.weight > $1.weight }
            let (first, second) = (nodes.removeLast(), nodes.removeLast())
            let symbols = first.symbols + second.symbols
            for symbol in symbols { lengths[symbol] += 1 }
            nodes.append((first.weight + second.weight, symbols))
        }
        return lengths
    }

    /// The canonical code of these lengths, the highest bit first (RFC 1951, 3.2.2).
    private static func bits(_ lengths: [Int]) -> [Int] {
        var bits = [Int](repeating: 0, count: lengths.count)
        var next = 0
        for length in 1...max(1, lengths.max() ?? 1) {
            next <<= 1
            for symbol in lengths.indices where lengths[symbol] == length {
                bits[symbol] = (0..<length).reduce(0) { $0 << 1 | next >> $1 & 1 }
                next += 1
            }
        }
        return bits
    }
}
