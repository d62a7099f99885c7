import NIOCore

/// A parser that is fed any bytes, and what has to hold of what it makes of them.
///
/// The same targets run under libFuzzer (`scripts/fuzz`) and, over the committed corpora, in the tests. All that a target
/// decides by chance it decides by the bytes, so that an input shows the same each time.
protocol FuzzTarget: SendableMetatype {
    /// As in the name of its corpus.
    static var name: String { get }

    /// - Throws: ``BrokenInvariant``.
    static func check(_ bytes: UnsafeRawBufferPointer) throws
}

/// What should hold for any input, and does not for this one.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String
}

func demand(_ holds: Bool, _ text: @autoclosure () -> String) throws {
    if !holds { throw BrokenInvariant(description: text()) }
}

enum FuzzTargets {
    static let all: [any FuzzTarget.Type] = [
        AddressesFuzz.self, BackupsFuzz.self, BatchesFuzz.self, BrokerFramesFuzz.self, ClientFramesFuzz.self,
        CommitsFuzz.self, ConfigurationFuzz.self, ControlFuzz.self, EventsFuzz.self, ExportsFuzz.self, HTTPFuzz.self,
        JSONFuzz.self, LinesFuzz.self, LooseLinesFuzz.self, PartitionRecordsFuzz.self, PatternsFuzz.self,
        ProxyFuzz.self, SnapshotsFuzz.self, TextLinesFuzz.self, TokensFuzz.self, WebSocketFuzz.self,
    ]

    static func named(_ name: String) -> (any FuzzTarget.Type)? { self.all.first { $0.name == name } }
}

/// SplitMix64, seeded with the bytes of an input.
struct InputRandom: RandomNumberGenerator {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    init(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { self.state = (self.state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes in a buffer that ends with them: a read beyond the end is one beyond the memory.
    var buffer: ByteBuffer {
        var capacity = 1
        while capacity < self.count { capacity *= 2 }
        var buffer = ByteBufferAllocator().buffer(capacity: capacity)
        buffer.writeRepeatingByte(0x7b, count: capacity - self.count)
        buffer.writeBytes(self)
        buffer.moveReaderIndex(forwardBy: capacity - self.count)
        return buffer
    }

    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes cut at some places.
    func pieces(using random: inout InputRandom) -> [ByteBuffer] {
        var pieces: [ByteBuffer] = []
        var rest = self[...]
        let most = [1, 3, 17, 80].randomElement(using: &random) ?? 1
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...most, using: &random))
            pieces.append(UnsafeRawBufferPointer(rebasing: piece).buffer)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

extension StringProtocol {
    /// Nothing that begins another line or a terminal escape.
    var isOneSafeLine: Bool {
        self.unicodeScalars.allSatisfy {
            !(0..<0x20 ~= $0.value || 0x7f..<0xa0 ~= $0.value || $0.value == 0x2028 || $0.value == 0x2029)
        }
    }
}
