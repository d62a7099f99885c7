import RoomTestKit
import Testing

@testable import RoomHTTP

@Suite struct GzipTests {
    @Test(
        arguments: [
            [], [7], Array("abcabcabcabcabcabc".utf8), Array(repeating: 0, count: 30_000),
            Array(String(repeating: "a room is not a lobby, ", count: 999).utf8),
        ]
    )
    func `what is compressed comes back`(bytes: [UInt8]) throws {
        #expect(try Inflated(Gzip.compress(bytes)).bytes == bytes)
    }

    @Test func `bytes without order come back, hardly longer`() throws {
        var random = SeededRandom(seed: 12)
        let bytes = (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let compressed = Gzip.compress(bytes)
        #expect(try Inflated(compressed).bytes == bytes)
        #expect(compressed.count < bytes.count + 1_000)
    }

    @Test func `the header and the sums are those of RFC 1952`() {
        let compressed = Gzip.compress(Array("123456789".utf8))
        #expect(compressed.prefix(4) == [0x1F, 0x8B, 8, 0])
        #expect(compressed.suffix(8) == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
    }
}

/// Reads one block with codes of its own, as simply as RFC 1951 describes it.
private struct Inflated {
    struct Wrong: Error {}

    private(set) var bytes: [UInt8] = []
    private let input: [UInt8]
    private var place = 80

    init(_ input: [UInt8]) throws {
        self.input = input
        guard self.read(3) == 0b101 else { throw Wrong() }
        let (symbols, distances, more) = (self.read(5) + 257, self.read(5) + 1, self.read(4) + 4)
        var lengths = [Int](repeating: 0, count: 19)
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(more) {
            lengths[symbol] = self.read(3)
        }
        let code = Self.code(lengths)
        var all: [Int] = []
        while all.count < symbols + distances {
            switch try self.symbol(code) {
            case 17: all += [Int](repeating: 0, count: self.read(3) + 3)
            case 18: all += [Int](repeating: 0, count: self.read(7) + 11)
            case 16: all += [Int](repeating: all.last ?? 0, count: self.read(2) + 3)
            case let length: all.append(length)
            }
        }
        try self.inflate(Self.code(Array(all.prefix(symbols))), Self.code(Array(all.dropFirst(symbols))))
    }

    private mutating func inflate(_ symbols: [[Int]: Int], _ distances: [[Int]: Int]) throws {
        while true {
            let symbol = try self.symbol(symbols)
            if symbol == 256 { return }
            guard symbol > 256 else {
                self.bytes.append(UInt8(symbol))
                continue
            }
            let length = self.value(symbol - 257, groups: 4, from: 3, last: 28)
            let distance = self.value(try self.symbol(distances), groups: 2, from: 1, last: nil)
            guard distance <= self.bytes.count else { throw Wrong() }
            for _ in 0..<length { self.bytes.append(self.bytes[self.bytes.count - distance]) }
        }
    }

    /// Lengths and distances: each group of symbols has one bit more than the one before.
    private mutating func value(_ symbol: Int, groups: Int, from start: Int, last: Int?) -> Int {
        if symbol == last { return 258 }
        if symbol < 2 * groups { return start + symbol }
        let bits = symbol / groups - 1
        return start + (groups + symbol % groups) << bits + self.read(bits)
    }

    private mutating func symbol(_ code: [[Int]: Int]) throws -> Int {
        var bits: [Int] = []
        while bits.count < 16 {
            bits.append(self.read(1))
            if let symbol = code[bits] { return symbol }
        }
        throw Wrong()
    }

    private mutating func read(_ count: Int) -> Int {
        (0..<count).reduce(0) { value, bit in
            defer { self.place += 1 }
            return value | Int(self.input[self.place / 8] >> (self.place % 8) & 1) << bit
        }
    }

    private static func code(_ lengths: [Int]) -> [[Int]: Int] {
        var code: [[Int]: Int] = [:]
        var next = 0
        for length in 1...15 {
            next <<= 1
            for symbol in lengths.indices where lengths[symbol] == length {
                code[(0..<length).reversed().map { next >> $0 & 1 }] = symbol
                next += 1
            }
        }
        return code
    }
}
