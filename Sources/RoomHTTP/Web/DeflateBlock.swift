/// One block with codes of its own (RFC 1951, 3.2.7).
struct DeflateBlock {
    private static let end = 256
    private static let lengthStarts = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let distanceStarts = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
        4_097,
        6_145, 8_193, 12_289, 16_385, 24_577,
    ]
    /// The order in which the lengths of the third code stand.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private let tokens: [DeflateToken]
    private let symbols: HuffmanCode
    private let distances: HuffmanCode

    init(tokens: [DeflateToken]) {
        var symbols = [Int](repeating: 0, count: 286)
        var distances = [Int](repeating: 0, count: 30)
        symbols[Self.end] = 1
        // decoders expect one distance at least
        distances[0] = 1
        for token in tokens {
            switch token {
            case .literal(let byte): symbols[Int(byte)] += 1
            case .match(let length, let distance):
                symbols[257 + Self.place(of: length, in: Self.lengthStarts)] += 1
                distances[Self.place(of: distance, in: Self.distanceStarts)] += 1
            }
        }
        self.tokens = tokens
        self.symbols = HuffmanCode(counts: symbols, longest: 15)
        self.distances = HuffmanCode(counts: distances, longest: 15)
    }

    func write(to output: inout BitWriter) {
        // the last block, with codes of its own
        output.append(0b101, count: 3)
        self.writeCodes(to: &output)
        for token in self.tokens {
            switch token {
            case .literal(let byte): self.symbols.write(Int(byte), to: &output)
            case .match(let length, let distance):
                let symbol = Self.place(of: length, in: Self.lengthStarts)
                self.symbols.write(257 + symbol, to: &output)
                let bits = symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1
                output.append(length - Self.lengthStarts[symbol], count: bits)
                let place = Self.place(of: distance, in: Self.distanceStarts)
                self.distances.write(place, to: &output)
                output.append(distance - Self.distanceStarts[place], count: max(0, place / 2 - 1))
            }
        }
        self.symbols.write(Self.end, to: &output)
    }

    /// The lengths of both codes, in a third code; all of them are written, zeros too.
    private func writeCodes(to output: inout BitWriter) {
        let runs = Self.runs(self.symbols.lengths + self.distances.lengths)
        var counts = [Int](repeating: 0, count: 19)
        for run in runs { counts[run.symbol] += 1 }
        let code = HuffmanCode(counts: counts, longest: 7)
        output.append(286 - 257, count: 5)
        output.append(30 - 1, count: 5)
        output.append(19 - 4, count: 4)
        for symbol in Self.order { output.append(code.lengths[symbol], count: 3) }
        for run in runs {
            code.write(run.symbol, to: &output)
            output.append(run.extra, count: run.bits)
        }
    }

    /// Lengths as they are, and runs of zeros.
    private static func runs(_ lengths: [Int]) -> [(symbol: Int, extra: Int, bits: Int)] {
        var runs: [(symbol: Int, extra: Int, bits: Int)] = []
        var place = 0
        while place < lengths.count {
            let zeros = lengths[place...].prefix(138).prefix { $0 == 0 }.count
            switch zeros {
            case 0..<3: runs.append((lengths[place], 0, 0))
            case 3...10: runs.append((17, zeros - 3, 3))
            default: runs.append((18, zeros - 11, 7))
            }
            place += zeros < 3 ? 1 : zeros
        }
        return runs
    }

    /// The last start that is not above the value.
    private static func place(of value: Int, in starts: [Int]) -> Int {
        (starts.firstIndex { $0 > value } ?? starts.count) - 1
    }
}
